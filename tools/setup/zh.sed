# The Chinese of what ./lab and tools/setup say: one line a sentence, the changing parts as \(.*\). tests/setup/test_words.py holds it
# to be whole. Sentences that stand inside of others come first, and are not anchored.
s|there is no bundle here|这里没有离线包|
s|Make one where there is network with ./lab bundle FILE, then here: ./lab setup --offline FILE|在有网络的地方用 ./lab bundle FILE 做一个，再到这里运行：./lab setup --offline FILE|
s|^\(.*\) is not whole: it has no manifest|\1 不完整：没有 manifest|
s|Unpack the bundle again\.|请重新解开离线包。|
s|this ./lab cannot read the bundle's format (\(.*\))|这个 ./lab 读不了离线包的格式（\1）|
s|Unpack the course from the same file, and run the ./lab in it\.|请从同一个文件解开课程，运行其中的 ./lab。|
s|the bundle is damaged: \(.*\)SHA256SUMS is not as it was packed|离线包损坏了：\1SHA256SUMS 与打包时不同|
s|the bundle is damaged: \(.*\)is not as it was packed|离线包损坏了：\1与打包时不同|
s|Copy the bundle's file again and unpack it anew\.|请重新复制离线包的文件，再重新解开。|
s|the bundle is for \(.*\), this machine is \([^:]*\)|离线包是给 \1 的，这台机器是 \2|
s|Make one on a machine like this one: ./lab bundle|请在同样的机器上做一个：./lab bundle|
s|the bundle's packages are for \(.*\), this is an unknown system|离线包里的软件包是给 \1 的，这里是不认识的系统|
s|the bundle's packages are for \(.*\), this is \([^:]*\)|离线包里的软件包是给 \1 的，这里是 \2|
s|Make one for it where there is network: ./lab bundle --distribution \(.*\)|请在有网络的地方为它做一个：./lab bundle --distribution \1|
s|^\(.*\) is not in the bundle (made \(.*\) for --compiler \(.*\), course \(.*\))|离线包里没有 \1（\2 为 --compiler \3 而做，课程 \4）|
s|Make a new one with this course: ./lab bundle --compiler \(.*\)|请用这份课程重新做一个：./lab bundle --compiler \1|
s|^\(.*\): it is not used, the network is$|\1：不用它，改用网络|
s|^there is no bundle \(.*\)$|没有离线包 \1|
s|^unpacking \(.*\)$|正在解开 \1|
s|^\(.*\) is damaged, or is no bundle|\1 损坏了，或者不是离线包|
s|^Copy it again; its SHA-256 was printed when it was made\.$|请重新复制；做它的时候打印过它的 SHA-256。|
s|^the bundle is of another state of the course (\(.*\)): its program is not used, it is built here$|离线包属于课程的另一个状态（\1）：不用其中的程序，在这里构建|

s|^there is no compiler "\(.*\)": --compiler can be nvrtc, nvcc, clang or builtin$|没有名为“\1”的编译器：--compiler 可以是 nvrtc、nvcc、clang 或 builtin|
s|^missing: \(.*\) (Debian's names), and there is no apt-get here$|缺少：\1（Debian 的包名），而这里没有 apt-get|
s|^Install a C++20 compiler, Meson 1.0, Ninja, pkg-config, fmt, nlohmann-json, CLI11, toml++, doctest, zstd and lz4, then run ./lab again\.$|请安装 C++20 编译器、Meson 1.0、Ninja、pkg-config、fmt、nlohmann-json、CLI11、toml++、doctest、zstd 和 lz4，再运行 ./lab。|
s|^missing: \(.*\)\. Installing them needs root\. Run this line, then ./lab \(.*\) again:$|缺少：\1。安装它们需要 root。请运行下面这一行，然后再运行 ./lab \2：|
s|^installing \(.*\) (from the bundle, a minute or two)$|正在从离线包安装 \1（一两分钟）|
s|^installing \(.*\) (apt-get, a minute or two)$|正在用 apt-get 安装 \1（一两分钟）|
s|^installing \(.*\) from the bundle into .venv (\(.*\) MB on disk)$|正在从离线包把 \1 装进 .venv（占磁盘 \2 MB）|
s|^apt-get could not install from the bundle|apt-get 无法从离线包安装|
s|^If it says that versions do not fit, this system is newer than the bundle: make a new bundle, or run ./lab setup with network\.$|如果它说版本对不上，就是这个系统比离线包新：请重新做一个离线包，或者在有网络时运行 ./lab setup。|
s|^apt-get failed|apt-get 失败了|
s|^installed in \(.*\) s$|安装完毕，用了 \1 秒|
s|^Meson is older than 1.0, and a bundle has no newer one$|Meson 比 1.0 旧，离线包里也没有更新的|
s|^Run ./lab setup once with network\.$|请在有网络时运行一次 ./lab setup。|
s|^fetching Meson into .venv (a few seconds): the one installed is older than 1.0$|正在把 Meson 取到 .venv（几秒钟）：已安装的比 1.0 旧|
s|^Meson could not be fetched|取不到 Meson|
s|^the fetched Meson does not start$|取来的 Meson 启动不了|
s|^Ubuntu 22.04 has no toml++, and a bundle has none either$|Ubuntu 22.04 没有 toml++，离线包里也没有|
s|^fetching toml++ into .venv (a few seconds): Ubuntu 22.04 has no package of it$|正在把 toml++ 取到 .venv（几秒钟）：Ubuntu 22.04 没有它的软件包|
s|^fetching toml++$|正在取 toml++|
s|^toml++ could not be fetched|取不到 toml++|
s|^Use the pip package instead (docs/install.md), or Ubuntu 24.04\.$|请改用 pip 包（docs/install.zh.md），或 Ubuntu 24.04。|
s|^Remove \(.*\) and run ./lab again\.$|请删除 \1，再运行 ./lab。|
s|^\(.*\) could not be installed from the bundle|\1 无法从离线包安装|
s|^Make a new bundle (./lab bundle --compiler \(.*\)), or use clang: ./lab --compiler clang$|请重新做一个离线包（./lab bundle --compiler \1），或者用 clang：./lab --compiler clang|
s|^fetching \(.*\) as Python wheels into .venv (\(.*\) MB on disk, about half a minute)$|正在把 \1 作为 Python wheel 取到 .venv（占磁盘 \2 MB，约半分钟）|
s|^fetched in \(.*\) s$|取来了，用了 \1 秒|
s|^\(.*\) could not be fetched (log: \(.*\)): kernels will be compiled by \(.*\)$|取不到 \1（日志：\2）：核函数将由 \3 编译|
s|^there is no \(.*\) here, and none in the bundle$|这里没有 \1，离线包里也没有|
s|^Run: \(.*\)   or use clang: ./lab --compiler clang$|请运行：\1   或者用 clang：./lab --compiler clang|
s|^clang++ 14 or later is not here$|这里没有 clang++ 14 或更新的版本|
s|^set-up does not know how to look for \(.*\)$|安装程序不知道怎样找 \1|
s|^Add it to is_here in tools/setup/needs.sh\.$|请把它加到 tools/setup/needs.sh 的 is_here 里。|

s|^meson setup failed|meson setup 失败了|
s|^the first call installs and builds, which takes minutes\. Meanwhile, the ladder as it was recorded; yours is counted when it is done$|第一次调用要安装和构建，需要几分钟。先看看录下来的阶梯；构建完之后再数你自己的|
s|^and how \(.*\) begins$|以及 \1 的开头|
s|^building the other words of the course in \(.*\) (once, a minute)$|正在 \1 里构建课程的其他命令（只有这一次，一分钟）|
s|^another \./lab builds; this one waits for it$|另一个 ./lab 正在构建；这一个等它完成|
s|^building in \(.*\) (once, a few minutes)$|正在 \1 里构建（只有这一次，几分钟）|
s|^building the other commands in \(.*\) (once, a minute or two)$|正在 \1 里构建其余的命令（只有这一次，一两分钟）|
s|^building, \(.*\) of \(.*\) $|正在构建，第 \1 步，共 \2 步 |
s|^built in \(.*\) s$|构建完毕，用了 \1 秒|
s|^the build failed|构建失败了|
s|^cannot write to \(.*\) or \(.*\)$|不能写入 \1 或 \2|
s|^Make them writable, or set LAB_BUILD_DIR and LAB_CACHE_DIR to folders of yours\.$|请让它们可写，或者把 LAB_BUILD_DIR 和 LAB_CACHE_DIR 设为你自己的文件夹。|
s|^no C++20 compiler even now$|仍然没有 C++20 编译器|
s|^Install g++ 11 or later, or set CXX, then run ./lab again\.$|请安装 g++ 11 或更新的版本，或者设置 CXX，再运行 ./lab。|
s|^no ninja even now$|仍然没有 ninja|
s|^Install ninja-build, then run ./lab again\.$|请安装 ninja-build，再运行 ./lab。|

s|^ready: \(.*\)$|准备好了：\1|
s|^the bundle has served: rm -r '\(.*\)' frees \(.*\)$|离线包用完了：rm -r '\1' 可以腾出 \2|
s|^there is no "\(./lab .*\)": it takes --full (every test, with the tools that only tests use) and --compiler$|没有“\1”：它接受 --full（全部测试，并下载只有测试才用的工具）和 --compiler|
s|^there is no "\(./lab .*\)": \(./lab .*\) --help shows what it takes$|没有“\1”：\2 --help 显示它接受什么|
s|^two folders, "\(.*\)" and "\(.*\)": a site is one$|两个文件夹，“\1”和“\2”：网站只要一个|
s|^\(.*\) could not be fetched: its test is skipped$|取不到 \1：跳过用它的测试|

s|^there is no command "\([^"]*\)"; ./lab --help lists them$|没有命令“\1”；./lab --help 列出所有命令|
s|^`\(.*\)` has no option \([^;]*\); ./lab \(.*\) --help lists them$|`\1` 没有选项 \2；./lab \3 --help 列出所有选项|
s|^\(.*\) wants a folder behind it: ./lab site --help$|\1 后面要有一个文件夹：./lab site --help|
s|^Runs the tests of the project: the quick ones, or all\.$|运行项目的测试：快的那些，或全部。|
s|^\(  --full  *\)every test, with the tools that only tests use$|\1所有测试，连同只有测试才用的工具|
s|^\(.*\) wants a word behind it: ./lab bundle --help$|\1 后面要有一个词：./lab bundle --help|
s|^two files, "\(.*\)" and "\(.*\)": a bundle is one$|两个文件，“\1”和“\2”：离线包只要一个|
s|^"\(.*\)" is no distribution's name: bookworm, trixie, noble, \.\.\.$|“\1”不是发行版的名字：bookworm、trixie、noble……|
s|^no \(.*\) here: packages are fetched with it$|这里没有 \1：要用它取软件包|
s|^Make the bundle on Debian or Ubuntu\.$|请在 Debian 或 Ubuntu 上做离线包。|
s|^this system has no code name$|这个系统没有代号|
s|^Say whose packages: ./lab bundle --distribution bookworm$|请说明要谁的软件包：./lab bundle --distribution bookworm|
s|^"\(.*\)" is no name for a bundle: it ends with .tar.gz, .tar.zst or .tar$|“\1”不能作离线包的名字：它要以 .tar.gz、.tar.zst 或 .tar 结尾|
s|^there is no folder \(.*\) for \(.*\)$|没有放 \2 的文件夹 \1|
s|^git could not copy the course|git 无法复制课程|
s|^\(.*\) changed files are not committed: the bundle has them as they were$|\1 个改过的文件没有提交：离线包里是它们原来的样子|
s|^the key that packages of \(.*\) are signed with is not here (\(.*\))$|这里没有给 \1 的软件包签名的密钥（\2）|
s|^Install \(.*\)-archive-keyring or ubuntu-keyring, give the key with --keyring FILE, or make the bundle on that system\.$|请安装 \1-archive-keyring 或 ubuntu-keyring，用 --keyring FILE 给出密钥，或者在那个系统上做离线包。|
s|^fetching packages of \(.*\): \(.*\)$|正在取 \1 的软件包：\2|
s|^apt-get could not fetch the packages of \([^ ]*\)|apt-get 取不到 \1 的软件包|
s|^Look at the network and at --distribution, --mirror\.$|请检查网络，以及 --distribution、--mirror。|
s|^this network has certificates of its own: \(.*\), where FILE holds them, lets pip know them$|这个网络用自己的证书：\1，其中 FILE 是证书文件，pip 就认得它们|
s|^fetching \(.*\) as Python wheels$|正在把 \1 作为 Python wheel 取来|
s|^Look at the network, or pack clang: ./lab bundle --compiler clang$|请检查网络，或者打包 clang：./lab bundle --compiler clang|
s|^\(.*\) could not be fetched|取不到 \1|
s|^the program is not packed: it was built on \(.*\), the bundle is for \(.*\)$|没有打包程序：它是在 \1 上构建的，离线包是给 \2 的|
s|^the program is not packed: the course here was changed since the last commit$|没有打包程序：上次提交之后这里的课程改过|
s|^packing$|正在打包|
s|^no \(.*\) here$|这里没有 \1|
s|^Give the file another ending: .tar.gz$|请给文件换一个结尾：.tar.gz|
s|^\(.*\) could not be written$|写不了 \1|
s|^Is the disk full? \(.*\)$|磁盘满了吗？\1|
s|^\(.*\): \(.*\) MB for \(.*\); course \(.*\), \(.*\) packages, the program$|\1：\2 MB，给 \3；课程 \4，\5 个软件包，还有程序|
s|^\(.*\): \(.*\) MB for \(.*\); course \(.*\), \(.*\) packages$|\1：\2 MB，给 \3；课程 \4，\5 个软件包|
s|^SHA-256 \(.*\)$|SHA-256：\1|
s|^on each laptop: \(.*\)$|在每台笔记本上：\1|
s|^Run: \(.*\)$|请运行：\1|
s|(whole log: \(.*\))$|（完整的日志：\1）|

# Usages.
s|^Usage: |用法：|
s|^Packs what set-up needs into one file, for machines without network\.$|把安装所需的一切打成一个文件，给没有网络的机器用。|
s|^\(  FILE  *\)default: \(.*\); .tar and .tar.zst work too$|\1默认：\2；.tar 和 .tar.zst 也行|
s|^\(  --compiler NAME  *\)the kernel compiler that goes in: nvrtc (default), nvcc (which `lab run` needs) or clang$|\1放进去的核函数编译器：nvrtc（默认）、nvcc（`lab run` 要用）或 clang|
s|^\(  --distribution NAME  *\)whose packages: bookworm, trixie, noble, ... (default: this machine's)$|\1谁的软件包：bookworm、trixie、noble……（默认：这台机器的）|
s|^\(  --mirror URL  *\)where that distribution's packages are$|\1那个发行版的软件包在哪里|
s|^\(  --keyring FILE  *\)what they are signed with$|\1给它们签名的密钥|
s|^\(  --no-program  *\)leave out the program that was built here: each machine builds its own$|\1不放这里构建的程序：每台机器自己构建|
s|^\(  --json  *\)one object about the file$|\1关于文件的一个对象|
s|^There:  \(.*\)$|到那边：\1|
s|^Installs and builds everything, so that the rest works without network\.$|取来并构建一切，以后不用网络。|
s|^\(  --compiler NAME  *\)the kernel compiler to install: nvrtc (default), nvcc (which `lab run` needs) or clang$|\1要取的核函数编译器：nvrtc（默认）、nvcc（`lab run` 要用）或 clang|
s|^\(  --offline \[BUNDLE\]  *\)take everything from a bundle and nothing from the network: from the file BUNDLE, the folder .bundle of an$|\1一切取自离线包，不用网络：取自文件 BUNDLE、解开的离线包里的|
s|^\(  *\)unpacked one, or a transpose-lab-\*.tar.gz beside the course$|\1文件夹 .bundle，或课程旁边的 transpose-lab-*.tar.gz|
s|^\(  --json  *\)one object, when all is ready$|\1全部准备好之后的一个对象|
s|^Builds lessons, docs and pictures as pages, in English and Chinese, into one folder that works without a server too\.$|把课文、文档和图做成网页，有英文和中文，放进一个没有服务器也能用的文件夹。|
s|^\(  --out FOLDER  *\)where to (default: site); a site that is there is replaced$|\1放到哪里（默认：site）；已有的网站会被替换|
s|^\(  --no-browser  *\)without the lab in a browser (it takes Emscripten, and minutes the first time)$|\1不要浏览器里的实验室（它要用 Emscripten，第一次要几分钟）|
s|^Shows the leader of a workshop who is where and which diagnosis is frequent, in the local network, without names\.$|告诉工作坊的主持人谁在哪里、哪个诊断多；只在本地网络里，没有名字。|
s|^\(  *\)\./lab workshop join ADDRESS:PORT \[--name NAME\]$|\1./lab workshop join 地址:端口 [--name 名字]|
s|^\(  serve  *\)the board, for the browser of this laptop alone (--names: who gives a name is shown with it;$|\1看板，只给这台电脑的浏览器看（--names：给了名字的人显示名字；|
s|^\(  *\)--laptops: how many are expected, so that it says how many never joined)$|\1--laptops：预计有几台，看板就能说有几台从未加入）|
s|^\(  join  *\)reports chapter and diagnosis of this clone until Ctrl-C; never a kernel\.$|\1报告这个克隆的章节和诊断，直到 Ctrl-C；从不报告核函数。|
s|^\(  *\)Enter asks the leader for help$|\1按回车请主持人来帮忙|

s|^about \(.*\) s left$|大约还要 \1 秒|
s|^about \(.*\) min left$|大约还要 \1 分钟|
s|^drawing the chapters' runs$|正在画各章的运行|
s|^making the pages$|正在生成网页|
s|^compiling the lab for browsers$|正在为浏览器编译实验室|
s|^compiling the kernels$|正在编译核函数|
s|^the lab in a browser needs Emscripten and CodeMirror\. To have them, run: \(.*\)$|浏览器里的实验室需要 Emscripten 和 CodeMirror。请运行：\1|
s|^the lab in a browser needs its kernels compiled by NVRTC: \(.*\)$|浏览器里的实验室需要 NVRTC 来编译核函数：\1|
s|^the lab in a browser needs \(.*\)\. To have it, run: \(.*\)$|浏览器里的实验室需要 \1。请运行：\2|
s|^left out: \(.*\), whose compiler does not end$|略去了 \1：编译器编译它时不会结束|
s|^\(.*\); the pages are made without it$|\1；网页里就没有它|
s|^\(.*\) pages, \(.*\) MB: \(.*\)$|\1 页，\2 MB：\3|
s|^lab show of \(.*\) ended with exit code \([^:]*\): \(.*\)$|对 \1 运行 lab show，退出码是 \2：\3|
s|^mkdocs could not make the pages:|mkdocs 生成不了网页：|
s|^\(.*\) is no site of this course, so nothing is written there\. Name a folder that is new or empty\.$|\1 不是本课程的网站，所以不往那里写。请给一个新的或空的文件夹。|
s|^no target of the build has these files: \(.*\)\. Fix PROGRAMS in \(.*\)\.$|没有哪个构建目标含有这些文件：\1。请改正 \2 里的 PROGRAMS。|
s|^Emscripten is not here, so the lab for browsers cannot be built\. Run: \(.*\)$|这里没有 Emscripten，所以构建不了浏览器里的实验室。请运行：\1|
s|^There is no ninja\. Run: ./lab setup$|没有 ninja。请运行：./lab setup|
s|^Emscripten could not compile the lab:|Emscripten 编译不了实验室：|
s|^\(.*\)/build\.ninja does not say what \(.*\) is linked from\. Fix LIKE in \(.*\)\.$|\1/build.ninja 里没有写 \2 由哪些库链接而成。请修正 \3 里的 LIKE。|

s|^installing packages$|正在安装软件包|
s|^fetching Python wheels$|正在取 Python wheel|
s|^fetching the lists of packages$|正在取软件包列表|
s|^fetching packages$|正在取软件包|
s|^configuring the build$|正在配置构建|
