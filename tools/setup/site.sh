# shellcheck shell=sh disable=SC2034,SC2154  # a part of ./lab
# `lab site`: lessons, docs and pictures as pages in one folder.
#
# Enters: a folder's name, or none. Leaves: the pages; the generator lies in .venv. tools/site/build.py makes them.

site_usage() {
  cat <<'END'
Builds lessons, docs and pictures as pages, in English and Chinese, into one folder that works without a server too.
Usage: ./lab site [--no-browser] [--out FOLDER]

  --out FOLDER           where to (default: site); a site that is there is replaced
  --no-browser           without the lab in a browser (it takes Emscripten, and minutes the first time)
END
}

run_site() {
  pages=
  browser=
  while [ $# -gt 0 ]; do
    case $1 in
      site | --plain | --lang=* | --compiler=*) ;;
      --lang | --compiler) shift ;;  # read already
      --no-browser) browser=--no-browser ;;
      --help | -h) in_words "$(site_usage)" && exit 0 ;;
      --out)
        [ $# -gt 1 ] || refuse "$1 wants a folder behind it: ./lab site --help"
        pages=$2
        shift
        ;;
      --out=*) pages=${1#--out=} ;;
      -*) refuse "there is no \"./lab site $1\": ./lab site --help shows what it takes" ;;
      *)
        [ -z "$pages" ] || refuse "two folders, \"$pages\" and \"$1\": a site is one"
        pages=$1
        ;;
    esac
    shift
  done
  prepare common/cli/lab
  install_generator
  LAB_LANG=$(language) exec "$root/.venv/bin/python3" "$root/tools/site/build.py" --program "$program" ${browser:+"$browser"} -- "${pages:-$root/site}"
}

# jieba parts Chinese text into words, for the search.
install_generator() {
  log=$cache/site.log
  : >"$log"
  if "$root/.venv/bin/python3" -c 'import jieba, material' 2>/dev/null; then return 0; fi
  has_venv || { missing=python3-venv && install_missing; }
  say "fetching mkdocs-material as Python wheels into .venv (100 MB on disk, about half a minute)"
  pip_install mkdocs-material jieba ||
    stop_with_log "mkdocs-material could not be fetched" "Run: .venv/bin/pip install mkdocs-material jieba" "$log"
}
