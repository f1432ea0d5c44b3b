// Keys as they are pressed, at a terminal: no Enter behind them.
//
// Enters: a terminal on standard input. Leaves: one key at a time; the terminal as it was, also when Ctrl-C
// ends the program.
#pragma once

namespace lab::cli {

class Keys {
 public:
  Keys();
  ~Keys();
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  // A terminal on both sides.
  [[nodiscard]] static bool are_there();
  // One that was pressed; 0: none is waiting; -1: the terminal is gone.
  [[nodiscard]] static int pressed();
};

}  // namespace lab::cli
