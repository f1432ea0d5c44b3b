"""Turns the files of the page into a C++ header, one string constant each.

Enters: paths of files, last the header to write. Leaves: the header. Literals are cut into pieces of 8 000
characters: compilers need not take longer ones. Beside them stand the sentences of the page, to be translated."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "base" / "text"))
import page_forms  # noqa: E402

*sources, target = sys.argv[1:]
lines = ["#pragma once", "#include <string>", "#include <string_view>", "", "namespace lab::report {", ""]
for source in sources:
    path = pathlib.Path(source)
    text = path.read_text(encoding="utf-8")
    if ')PAGE"' in text:
        sys.exit(f"{source} holds the end mark of the literal, )PAGE\"")
    name = "kFile" + "".join(part.capitalize() for part in path.name.replace("_", ".").split("."))
    pieces = [text[i : i + 8000] for i in range(0, len(text), 8000)]
    lines.append(f"inline const std::string {name} =" + "".join(f' std::string(R"PAGE({p})PAGE") +' for p in pieces) + ' "";')
forms = dict.fromkeys(form for source in sources for form in page_forms.of_file(pathlib.Path(source)))
lines.append("inline constexpr std::string_view kPageForms[] = {" + ", ".join(f'R"PAGE({form})PAGE"' for form in forms) + "};")
lines += ["", "}  // namespace lab::report", ""]
pathlib.Path(target).write_text("\n".join(lines), encoding="utf-8")
