// Slurm's commands: sbatch, squeue, and what remembers jobs that ended (sacct, scontrol).
//
// Enters: a job's number or name. Leaves: what Slurm says, taken apart. Nothing here decides anything.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace lab::grade {

// Throws EnvironmentError that says what to do on a machine without Slurm.
void need_slurm();

struct Submitted {
  std::string job;         // "" when it was refused
  std::string words;       // what sbatch said
  bool timed_out = false;  // it gave no answer in time: the job may exist
};
[[nodiscard]] Submitted sbatch(const std::filesystem::path& script);

// A task of an array job.
struct Task {
  std::string state;   // Slurm's word: PENDING, RUNNING, COMPLETED, CANCELLED, …
  std::string reason;  // why it waits
  std::string node;
  int exit_code = 0;
};
struct Queue {
  std::string job;                 // the array's number; "" when no task is left
  std::map<unsigned, Task> tasks;  // by array index
};
// What is waiting or running under a name. Throws EnvironmentError when Slurm does not answer.
[[nodiscard]] Queue queued(const std::string& name);
// What Slurm remembers of tasks that ended: sacct where accounting is on, else scontrol, which forgets after
// some minutes. Empty when neither knows.
[[nodiscard]] std::map<unsigned, Task> remembered(const std::string& job);

}  // namespace lab::grade
