"""A Slurm cluster on loopback, of Debian's packages: munged, slurmctld and two slurmd, all in one temporary folder.

Enters: nothing; root, and the programs on PATH. Leaves: an environment in which sbatch and the like talk to this cluster, and when
it is closed no process and no file. Where it cannot start, NoCluster says why."""
import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
NODES = ("node1", "node2")


class NoCluster(Exception):
    pass


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def dies_with_us():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: also when this program is killed


CONFIGURATION = """ClusterName=lab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
KillWait=2
ReturnToService=2
PartitionName=teach Nodes={nodes} Default=YES MaxTime=INFINITE State=UP
"""


class Cluster:
    def __init__(self):
        for program in PROGRAMS:
            if not self.find(program):
                raise NoCluster(f"{program} is not here: apt-get install slurm-wlm munge")
        if os.geteuid() != 0:
            raise NoCluster("Slurm's daemons need root here")
        self.folder = tempfile.mkdtemp(prefix="lab-slurm-")
        self.daemons = []
        self.environment = dict(os.environ, SLURM_CONF=f"{self.folder}/slurm.conf")
        try:
            self.start()
        except Exception as error:
            words = self.logs() if isinstance(error, NoCluster) else ""
            self.close()
            if isinstance(error, (OSError, NoCluster)):
                raise NoCluster(f"Slurm's daemons do not start on this machine: {error}{words}") from error
            raise

    @staticmethod
    def find(program):
        return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")

    def start(self):
        key = f"{self.folder}/munge.key"
        with open(os.open(key, os.O_CREAT | os.O_WRONLY, 0o400), "wb") as file:
            file.write(os.urandom(128))
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                    f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munge.seed")
        self.until(lambda: os.path.exists(f"{self.folder}/munge.socket"), "munged opens its socket")
        os.mkdir(f"{self.folder}/state")
        host = socket.gethostname().split(".")[0]
        controller, *ports = free_ports(1 + len(NODES))
        text = CONFIGURATION.format(host=host, controller=controller, folder=self.folder, nodes=",".join(NODES))
        for node, port in zip(NODES, ports):
            text += f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 State=UNKNOWN\n"
        with open(f"{self.folder}/slurm.conf", "w") as file:
            file.write(text)
        self.daemon("slurmctld", "-D", "-c")
        for node in NODES:
            self.daemon("slurmd", "-D", "-N", node)
        self.until(lambda: self.call("sinfo", "-h", "-o", "%t %D") == f"idle {len(NODES)}\n", "both nodes are idle")

    def daemon(self, program, *arguments):
        with open(f"{self.folder}/{program}-{len(self.daemons)}.out", "wb") as out:
            self.daemons.append(subprocess.Popen([self.find(program), *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                                 env=self.environment, cwd="/", preexec_fn=dies_with_us))

    def until(self, reached, what, seconds=20):
        deadline = time.monotonic() + seconds
        while not reached():
            for daemon in self.daemons:
                if daemon.poll() is not None:
                    raise NoCluster(f"{os.path.basename(daemon.args[0])} ended at once. ")
            if time.monotonic() > deadline:
                raise NoCluster(f"it took more than {seconds} s until {what}. ")
            time.sleep(0.1)

    def call(self, program, *arguments):
        return subprocess.run([self.find(program), *arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=30).stdout

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".out")):
                with open(os.path.join(self.folder, name), errors="replace") as file:
                    text += "".join(f"\n  {name}: {line.strip()}" for line in file.readlines()[-3:])
        return text

    def stragglers(self):
        """Processes that the daemons started: all that have this cluster's folder in their environment."""
        mark, found = f"SLURM_CONF={self.folder}/slurm.conf".encode(), []
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid():
                try:
                    with open(f"/proc/{name}/environ", "rb") as file:
                        if mark in file.read().split(b"\0"):
                            found.append(int(name))
                except OSError:
                    pass
        return found

    def close(self):
        for daemon in reversed(self.daemons):  # munged last
            if daemon.poll() is None:
                daemon.kill()
            daemon.wait()
        for process in self.stragglers():
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
