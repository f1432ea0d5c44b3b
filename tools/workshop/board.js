"use strict";
// Asks for board.json every two seconds and draws it. Text is set as text, never as markup.
const words = {
  en: { title: "Workshop", chapters: "Who is where", diagnoses: "What the check says now", laptops: "Who needs help, then longest without a change",
        chapter: "chapter", here: "here", passed: "passed", diagnosis: "diagnosis", laptop: "laptop", count: "laptops", which: "which", hints: "hints",
        minutes: "minutes", median: "minutes", help: "needs help", gone: "gone",
        state: (n, gone, never, left) => [`${n} ${n === 1 ? "laptop" : "laptops"} here`, gone && `${gone} gone without a word`, left && `${left} left`,
                                          never && `${never} never joined`].filter(Boolean).join(", "), lost: "The server does not answer.", none: "none yet" },
  zh: { title: "工作坊", chapters: "谁在哪里", diagnoses: "检查现在说什么", laptops: "先是需要帮助的，再是最久没有变化的",
        chapter: "章节", here: "在这里", passed: "已通过", diagnosis: "诊断", laptop: "电脑", count: "台数", which: "哪些", hints: "提示",
        minutes: "分钟", median: "停留分钟", help: "需要帮助", gone: "失联",
        state: (n, gone, never, left) => [`${n} 台电脑在线`, gone && `${gone} 台没有打招呼就失联`, left && `${left} 台已离开`,
                                          never && `${never} 台从未加入`].filter(Boolean).join("，"), lost: "服务器没有回答。", none: "还没有" },
};
const language = navigator.language.startsWith("zh") ? "zh" : "en";
const say = words[language];

function cell(value, kind) {
  const made = document.createElement("td");
  if (kind === "bar") {
    made.className = "bar";
    const meter = document.createElement("meter");
    meter.max = Math.max(1, value.most);
    meter.value = value.count;
    meter.setAttribute("aria-label", `${value.count}`);
    made.append(meter);
  } else if (kind === "help") {
    const mark = document.createElement("strong");
    mark.textContent = `${say.help} `;
    const code = document.createElement("code");
    code.textContent = value.diagnosis;
    made.append(mark, code);
  } else if (kind === "code") {
    const code = document.createElement("code");
    code.textContent = value;
    made.append(code);
  } else {
    made.textContent = value;
    if (typeof value === "number") made.className = "number";
  }
  return made;
}

// A head in a list: of a column of numbers.
function head(words) {
  const made = document.createElement("th");
  made.textContent = words;
  if (Array.isArray(words)) made.className = "number";
  return made;
}

function fill(id, heads, rows, looks = []) {
  const line = (cells, look) => {
    const made = document.createElement("tr");
    made.className = look ?? "";
    made.append(...cells);
    return made;
  };
  const body = rows.length ? rows.map((row, i) => line(row, looks[i])) : [line([cell(say.none)])];
  document.getElementById(id).replaceChildren(line(heads.map(head)), ...body);
}

function draw(board) {
  const gone = board.laptops.filter((row) => row.gone).length, most = board.laptops.length - gone;
  document.getElementById("state").textContent = say.state(most, gone, board.never_joined, board.left);
  fill("chapters", [say.chapter, [say.here], "", [say.passed], [say.median]],
       board.chapters.map((row) => [cell(row.chapter, "code"), cell(row.here), cell({ count: row.here, most }, "bar"), cell(row.passed),
                                    cell(row.minutes === null ? "" : row.minutes)]));
  fill("diagnoses", [say.chapter, say.diagnosis, [say.count], say.which],
       board.diagnoses.map((row) => [cell(row.chapter, "code"), cell(row.diagnosis, "code"), cell(row.laptops.length),
                                     cell(row.laptops.slice(0, 12).join(", ") + (row.laptops.length > 12 ? " …" : ""))]));
  fill("laptops", [say.laptop, say.chapter, say.diagnosis, [say.passed], [say.hints], [say.minutes]],
       board.laptops.map((row) => [cell(row.name ? `${row.number} ${row.name}` : `${row.number}`), cell(row.chapter, "code"),
                                   row.gone ? cell(say.gone) : row.help_seconds === null ? cell(row.diagnosis, "code") : cell({ diagnosis: row.diagnosis }, "help"),
                                   cell(row.passed), cell(row.hints), cell(Math.floor((row.help_seconds ?? row.seconds) / 60))]),
       board.laptops.map((row) => (row.gone ? "gone" : row.help_seconds === null ? "" : "help")));
}

async function ask() {
  try {
    draw(await (await fetch("/board.json")).json());
  } catch {
    document.getElementById("state").textContent = say.lost;
  }
  setTimeout(ask, 2000);
}

document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
document.title = document.getElementById("title").textContent = say.title;
for (const made of document.querySelectorAll("[data-word]")) made.textContent = say[made.dataset.word];
ask();
