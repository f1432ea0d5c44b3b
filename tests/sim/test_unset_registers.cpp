// Registers that no instruction has written on the way that a launch takes: reported where they matter, and nowhere else.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/sim/analysis/unset_registers.h"
#include "common/sim/program/program_data.h"
#include "common/sim/ptx/ptx_module.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

PtxRun run(const std::string& body) {
  PtxKernel kernel;
  kernel.body = "setp.lt.u32 %p1, %tid, 16;\n" + body;
  kernel.in = std::vector<std::uint32_t>(32, 7);
  return run_ptx(kernel);
}

const std::string kProduct =
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f4,%f5,%f6,%f7}, {%r1,%r2}, {%r3}, "
    "{%f0,%f1,%f2,%f3};\n";
const std::string kFactors = "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n";
const std::string kZeros =
    "mov.f32 %f0, 0f00000000;\nmov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\n";

std::vector<std::string> unset_in(const std::string& body) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
      ".reg .b32 %r<9>;\n.reg .pred %p<3>;\n.reg .b64 %rd<3>;\n" +
      body + "\n}\n");
  return unset_registers(module.functions.at(0));
}

}  // namespace

TEST_SUITE("unset registers") {
  TEST_CASE(
      "a value that no path has set is reported where it is stored, used as an address or decides a branch") {
    struct {
      std::string body, word;
    } const rows[] = {
        {"st.global.u32 [%o], %r9;", "thread (0,0) of block (0,0) stores"},
        {"@%p1 mov.u32 %r9, 1;\nst.global.u32 [%o], %r9;", "thread (16"},
        {"@%p1 bra SKIP;\nmov.u32 %r9, 1;\nSKIP:\nadd.s32 %r8, %r9, 1;\nst.global.u32 [%o], %r8;", "stores"},
        {"setp.eq.u32 %p2, %r9, 3;\n@%p2 bra SKIP;\nst.global.u32 [%o], 1;\nSKIP:", "decides a branch"},
        {"cvt.u64.u32 %rd9, %r9;\nadd.s64 %rd8, %base_in, %rd9;\nld.global.u32 %r8, [%rd8];",
         "becomes an address"},
        {"shfl.sync.bfly.b32 %r8, %r9, 1, 31, -1;\nst.global.u32 [%o], %r8;", "stores"},
        {kFactors + kProduct + "st.global.f32 [%o], %f6;", "stores"},
        {"red.global.add.u32 [%o], %r9;", "stores"},
        {"mov.u32 %r7, 5;\nsub.s32 %r8, %r7, %r9;\nst.global.u32 [%o], %r8;", "stores"},
        {"mov.u32 %r7, 5;\nmad.lo.s32 %r8, %r9, 128, %r7;\nst.global.u8 [%o], %r8;", "stores"},
        {"shl.b32 %r7, %r9, 16;\nadd.s32 %r8, %r7, 5;\nshr.u32 %r8, %r8, 24;\nst.global.u8 [%o], %r8;",
         "stores"},
        {"mov.u32 %r7, 5;\nbfi.b32 %r8, %r9, %r7, 0, 8;\nst.global.u8 [%o], %r8;", "stores"},
        {"mov.u32 %r7, 5;\nbfi.b32 %r8, %r7, %r9, 4, 28;\nst.global.u32 [%o], %r8;", "stores"},
        {"mov.u32 %r7, 5;\nbfi.b32 %r8, %r7, %r9, 0, 8;\nbfe.u32 %r8, %r8, 8, 8;\nst.global.u8 [%o], %r8;",
         "stores"},
        {"mul.hi.u32 %r8, %r9, 256;\nst.global.u32 [%o], %r8;", "stores"},
    };
    for (const auto& row : rows) {
      const PtxRun r = run(row.body);
      CAPTURE(row.body);
      CAPTURE(r.message());
      CHECK(r.fault() == "uninitialised-local");
      CHECK(r.message().find(row.word) != std::string::npos);
    }
  }

  TEST_CASE("nothing is said where it does not matter, or a path has set it") {
    const std::string store = "st.global.u32 [%o], %r8;";
    for (const std::string& body : std::vector<std::string>{
             "add.s32 %r8, %r9, 1;\nmov.u32 %r8, 2;\n" + store,        // written over
             "add.s32 %r7, %r9, 1;\nmov.u32 %r8, 2;\n" + store,        // computed in vain
             "@%p1 mov.u32 %r8, 1;\n@!%p1 mov.u32 %r8, 2;\n" + store,  // each lane by one of two
             "@%p1 mov.u32 %r8, 1;\n@%p1 " + store,                    // only those that set it
             "selp.b32 %r8, %r9, 3, %p2;\nsetp.ne.u32 %p3, %tid, %tid;\nselp.b32 %r8, %r9, 3, %p3;\n" + store,
             "and.b32 %r8, %r9, 0;\n" + store,
             "mov.u32 %r7, 5;\nadd.s32 %r8, %r7, %r9;\nsub.s32 %r8, %r8, %r9;\n" +
                 store,  // it goes away again
             "xor.b32 %r8, %r9, %r9;\n" + store,
             // The lowest byte of a word that sums put together: what lies above it may be anything.
             "mov.u32 %r7, 5;\nmad.lo.s32 %r8, %r9, 256, %r7;\nst.global.u8 [%o], %r8;",
             "shl.b32 %r7, %r9, 16;\nadd.s32 %r8, %r7, 5;\nxor.b32 %r8, %r8, 3;\nst.global.u16 [%o], %r8;",
             "mul.lo.s32 %r8, %r9, 0;\n" + store,
             // Bytes that are put into a word one by one, and what is taken out of it.
             "mov.u32 %r7, 5;\nbfi.b32 %r8, %r7, %r9, 0, 16;\nbfi.b32 %r8, %r7, %r8, 16, 16;\n" + store,
             "mov.u32 %r7, 5;\nbfi.b32 %r8, %r7, %r9, 8, 8;\nbfe.u32 %r8, %r8, 8, 8;\n" + store,
             "setp.ne.u32 %p3, %tid, %tid;\nand.pred %p4, %p3, %p2;\n@%p4 bra SKIP;\nSKIP:\nst.global.u32 "
             "[%o], 1;",
             kFactors + kZeros + kProduct + "st.global.f32 [%o], %f6;",
             kZeros + kProduct + "st.global.f32 [%o], %f6;",  // factors: rows that no lane may need
             "mov.u32 %r7, 0;\nAGAIN:\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 mov.u32 %r8, 5;\nadd.u32 %r8, %r8, 1;\n"
             "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p3, %r7, 3;\n@%p3 bra AGAIN;\n" +
                 store,  // a loop's first round sets it
         }) {
      const PtxRun r = run(body);
      CAPTURE(body);
      CHECK_MESSAGE(r.fault() == "none", r.message());
    }
  }

  TEST_CASE("a struct may be stored with a member without a value, an array with such an element may not") {
    const std::string set = ".loc 1 7 3\nmov.u32 %r8, 1;\nmov.f32 %f1, 0f00000000;\n";
    struct {
      std::string stores, fault;
    } const rows[] = {
        {"st.global.u32 [%o], %r8;\nst.global.f32 [%o], %f2;", "none"},
        {"st.global.f32 [%o], %f2;\nst.global.u32 [%o], %r8;", "none"},
        {"st.global.f32 [%o], %f1;\nst.global.f32 [%o], %f2;", "uninitialised-local"},  // an array
        {"st.global.f32 [%o], %f1;\nst.global.f32 [%o], %f2;\nst.global.u32 [%o], %r9;", "none"},
        {"st.global.u32 [%o], %r9;\nst.global.f32 [%o], %f2;", "uninitialised-local"},  // no member has one
        {"st.global.u32 [%o], %r8;\n.loc 1 8 3\nst.global.f32 [%o], %f2;", "uninitialised-local"},
        {"st.global.u32 [%i], %r8;\nst.global.f32 [%o], %f2;", "uninitialised-local"},
    };
    for (const auto& row : rows) {
      const PtxRun r = run(set + row.stores);
      CAPTURE(row.stores);
      CHECK_MESSAGE(r.fault() == row.fault, r.message());
    }
  }

  TEST_CASE("a value that went through shared memory is reported with both lines") {
    const PtxRun r =
        run("st.shared.u32 [tile], %r9;\nbar.sync 0;\nld.shared.u32 %r8, [tile];\nst.global.u32 [%o], %r8;");
    CHECK(r.fault() == "uninitialised-local");
    CHECK(r.message().find("went into `tile`") != std::string::npos);
  }

  TEST_CASE("matrices take what has no value along to the lanes that hold it then, and no further") {
    const std::string tile =
        "mov.u32 %r3, tile;\nand.b32 %r4, %tid, 7;\nmad.lo.u32 %r4, %r4, 16, %r3;\nand.b32 %r5, %tid, 3;\n"
        "setp.lt.u32 %p2, %tid, 4;\nsetp.lt.u32 %p3, %r5, 2;\n";
    // Of eight rows 0 to 3 have values.
    const std::string stored = "st.shared.v4.u32 [%r4], {%r9, %r9, %r9, %r9};\nbar.sync 0;\n",
                      rows = tile + "@%p2 mov.u32 %r9, 1;\nsetp.lt.u32 %p4, %tid, 8;\n@%p4 " + stored,
                      hole = tile + "@%p2 mov.u32 %r9, 1;\n@%p2 " + stored,
                      lanes = tile + "@%p1 mov.u32 %r9, 1;\n";
    struct {
      std::string body, guard;
    } const cases[] = {
        {rows + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r4];\n", "@%p1 "},
        {rows + "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r8}, [%r4];\n", "@%p3 "},
        {lanes + "movmatrix.sync.aligned.m8n8.trans.b16 %r8, %r9;\n", "@%p3 "},
        {lanes + "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r9};\nbar.sync 0;\nmad.lo.u32 %r6, %tid, "
                 "4, %r3;\n"
                 "ld.shared.u32 %r8, [%r6];\n",
         "@%p1 "},
        {lanes + "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r4], {%r9};\nbar.sync 0;\nmad.lo.u32 %r6, "
                 "%tid, 4, %r3;\n"
                 "ld.shared.u32 %r8, [%r6];\n",
         "@%p3 "},
    };
    for (const auto& c : cases) {
      CAPTURE(c.body);
      const PtxRun used = run(c.body + c.guard + "st.global.u32 [%o], %r8;"),
                   all = run(c.body + "st.global.u32 [%o], %r8;");
      CHECK_MESSAGE(used.fault() == "none", used.message());
      CHECK_MESSAGE(all.fault() == "uninitialised-local", all.message());
    }
    // What was never stored is a hole in the tile.
    const PtxRun r =
        run(hole + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r4];\n@%p1 st.global.u32 [%o], %r8;");
    CHECK(r.fault() == "uninitialised-shared");
  }

  TEST_CASE("a shuffle hands on no label of lanes that take no part") {
    PtxKernel kernel;  // each lane names all but its own one, and reads lane 0, whose value is 1
    kernel.body =
        "add.s32 %r8, %r9, 1;\nmov.u32 %r1, 1;\nmov.u32 %r2, %laneid;\nshl.b32 %r2, %r1, %r2;\nnot.b32 %r2, "
        "%r2;\n"
        "shfl.sync.idx.b32 %r3, %r1, 0, 31, %r2;\nst.global.u32 [%o], %r3;";
    kernel.options.checks_stop = false;
    const PtxRun r = run_ptx(kernel);
    REQUIRE(!r.result.findings.empty());
    for (const Fault& fault : r.result.findings) CHECK(fault.kind == FaultKind::WarpSync);
  }

  TEST_CASE("a sum that is cut for an atomic is no atomic itself") {
    CHECK(run("red.global.max.u32 [%o], %rd1+8;").fault() == "uninitialised-local");
    CHECK(run("mov.u64 %rd1, 5;\nred.global.max.u32 [%o], %rd1+8;\natom.global.add.u32 %r8, [%o], %rd1+8;")
              .fault() == "none");
    Memory memory;
    const auto image = load_module(
        ptx::parse(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                   ".reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\nmov.u64 %rd2, 5;\n"
                   "red.global.max.u32 [%rd1], %rd2+8;\nret;\n}\n"),
        memory);
    const auto program = decode(*image, "k");
    int of_text = 0, atomics = 0;
    for (const Inst& inst : program->data().code) {
      of_text += program->data().opcode(inst.pc).is_atomic();
      atomics += program->data().atomic_of(inst) != nullptr;
    }
    CHECK(of_text > 1);
    CHECK(atomics == 1);
  }

  TEST_CASE("which registers may be read before they are written") {
    using Names = std::vector<std::string>;
    CHECK(unset_in("mov.u32 %r1, 1;\nadd.u32 %r2, %r1, %r1;\nret;") == Names{});
    CHECK(unset_in("add.u32 %r2, %r1, %r3;\nret;") == Names{"%r1", "%r3"});
    CHECK(unset_in("@%p1 mov.u32 %r1, 1;\nadd.u32 %r2, %r1, 1;\nret;") == Names{"%p1", "%r1"});
    CHECK(unset_in("mov.u32 %r1, 1;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 bra A;\nmov.u32 %r2, 2;\nbra "
                   "B;\nA:\nmov.u32 %r2, 3;\nB:\n"
                   "add.u32 %r3, %r2, 1;\nret;") == Names{});
    CHECK(unset_in("mov.u32 %r1, 1;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 bra B;\nmov.u32 %r2, 2;\nB:\nadd.u32 "
                   "%r3, %r2, 1;\nret;") == Names{"%r2"});
    // Round a loop: the first round comes before the write.
    CHECK(unset_in("mov.u32 %r1, 0;\nA:\nadd.u32 %r3, %r2, 1;\nmov.u32 %r2, 4;\nadd.u32 %r1, %r1, "
                   "1;\nsetp.lt.u32 %p1, %r1, 3;\n"
                   "@%p1 bra A;\nret;") == Names{"%r2"});
    CHECK(unset_in("mov.b64 {%r1, %r2}, %rd1;\nmov.b64 %rd2, {%r1, %r2};\nmov.u32 %r3, %tid.x;\nret;") ==
          Names{"%rd1"});
  }
}
