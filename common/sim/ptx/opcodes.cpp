// The rows. See opcodes.h; what stands in each column is defined there.
#include "common/sim/ptx/opcodes.h"

#include <algorithm>
#include <map>
#include <span>

namespace lab::sim::ptx {
namespace {

using enum Reader;
constexpr auto kThrough = Next::Through;
constexpr auto kNone = Writes::Nothing, kFirst = Writes::First;
constexpr Moves kMovesNothing{Unit::None, Direction::Read}, kLoads{Unit::Lanes, Direction::Read},
    kStores{Unit::Lanes, Direction::Write}, kUpdates{Unit::Atomic, Direction::Update},
    kCopies{Unit::Copy, Direction::Write}, kBulk{Unit::Bulk, Direction::Write},
    kBulkUpdates{Unit::Bulk, Direction::Update}, kMatrixLoad{Unit::Matrix, Direction::Read},
    kMatrixStore{Unit::Matrix, Direction::Write}, kFragmentLoad{Unit::Fragment, Direction::Read},
    kFragmentStore{Unit::Fragment, Direction::Write}, kProduct{Unit::Product, Direction::Read},
    kObject{Unit::Barrier, Direction::Update}, kTested{Unit::Barrier, Direction::Read},
    kToPeer{Unit::Peer, Direction::Write}, kUpdatesPeer{Unit::Peer, Direction::Update},
    kTexture{Unit::Texture, Direction::Read}, kSurfaceLoad{Unit::Surface, Direction::Read},
    kSurfaceStore{Unit::Surface, Direction::Write}, kSurfaceUpdate{Unit::Surface, Direction::Update},
    kHint{Unit::Hint, Direction::Read}, kDestroys{Unit::Hint, Direction::Write};

// What is not one instruction of the machine: seen in kernels that have it thirty times over.
constexpr MachineCost kDiv[] = {{Type::F32, "rn", 10, 10, 1, true}, {Type::F32, "full", 8, 8, 1},
                                {Type::F32, "approx", 5, 2, 1},     {Type::F64, "", 30, 30, 1, true},
                                {Type::S32, "", 26, 26, 3},         {Type::U32, "", 18, 18, 3},
                                {Type::S64, "", 50, 50, 2, true},   {Type::U64, "", 50, 50, 2, true}};
constexpr MachineCost kRem[] = {{Type::S32, "", 24, 24, 3},
                                {Type::U32, "", 17, 17, 3},
                                {Type::S64, "", 50, 50, 2, true},
                                {Type::U64, "", 50, 50, 2, true}};
constexpr MachineCost kRcp[] = {
    {Type::F32, "rn", 9, 9, 1, true}, {Type::F32, "approx", 7, 1, 1}, {Type::F64, "", 20, 20, 1, true}};
constexpr MachineCost kSqrt[] = {
    {Type::F32, "rn", 10, 10, 1, true}, {Type::F32, "approx", 4, 2, 1}, {Type::F64, "", 30, 30, 1, true}};
constexpr MachineCost kRsqrt[] = {{Type::F32, "approx", 4, 1, 1}, {Type::F64, "", 24, 24, 1}};
constexpr MachineCost kPower[] = {{Type::F32, "", 4, 1, 1}};
constexpr MachineCost kSine[] = {{Type::F32, "", 2, 2, 1}};
constexpr MachineCost kLess[] = {
    {Type::F64, "", 9, 9, 0}, {Type::S64, "", 4, 4, 0}, {Type::U64, "", 4, 4, 0}};
constexpr MachineCost kClz[] = {{Type::B32, "", 2, 2, 1}};
constexpr MachineCost kBfi[] = {{Type::B32, "", 3, 3, 0}};
constexpr MachineCost kBfe[] = {{Type::U32, "", 2, 2, 0}, {Type::S32, "", 2, 2, 0}};
// Forms that came later than their opcode, those of one opcode from the narrowest on.
constexpr Younger kSinceSum[] = {{"f32x2", {100}}, {"f32 f16", {100}}, {"f32 bf16", {100}},
                                 {"bf16*", {90}},  {"u16x2", {90}},    {"s16x2", {90}}};
constexpr Younger kSinceFma[] = {{"f32x2", {100}}, {"f32 f16", {100}}, {"f32 bf16", {100}}, {"oob", {90}},
                                 {"bf16*", {80}},  {"f16 relu", {80}}, {"f16x2 relu", {80}}};
constexpr Younger kSinceLess[] = {{"f32", {100}, 4},  {"xorsign", {86}}, {"u16x2", {90}}, {"s16x2", {90}},
                                  {"s32 relu", {90}}, {"bf16*", {80}},   {"f16*", {80}},  {"NaN", {80}}};
constexpr Younger kSinceSign[] = {{"bf16*", {80}}};
constexpr Younger kSinceHalf[] = {{"bf16*", {90}}};
constexpr Younger kSinceCvt[] = {{"rs", {100, true}},     {"e3m2x2", {100, true}},  {"e2m3x2", {100, true}},
                                 {"e2m1x2", {100, true}}, {"ue8m0x2", {100, true}}, {"e4m3x2", {89}},
                                 {"e5m2x2", {89}},        {"f32.bf16 ftz", {90}},   {"bf16* f32", {80}},
                                 {"bf16*", {90}},         {"f16x2", {80}},          {"tf32", {80}},
                                 {"relu", {80}}};
constexpr Younger kSinceAtomic[] = {{"v2", {90}},    {"v4", {90}},   {"v8", {90}},
                                    {"bf16*", {90}}, {"b128", {90}}, {"f16*", {70}}};
constexpr Younger kSinceFence[] = {{"async*", {90}}, {"tensormap*", {90}}};
constexpr Younger kSinceObject[] = {{"expect_tx", {90}}, {"release", {90}}, {"relaxed", {90}}};
constexpr Younger kSinceRedux[] = {{"f32", {100, true}}};
constexpr Younger kSinceMma[] = {
    {"e4m3", {89}},     {"e5m2", {89}},    {"sp", {80}},      {"sp::ordered_metadata", {80}},
    {"bf16", {80}},     {"tf32", {80}},    {"and", {80}},     {"f64 m8n8k4", {80}},
    {"f64", {90}},      {"m16n8k8", {75}}, {"m8n8k16", {75}}, {"m8n8k32", {75}},
    {"m8n8k128", {75}}, {"m8n8k4", {70}},  {"m16n8k*", {80}}};
constexpr Younger kSinceWmma[] = {{"bf16", {80}}, {"tf32", {80}}, {"f64", {80}}, {"and", {80}}, {"s8", {72}},
                                  {"u8", {72}},   {"s4", {75}},   {"u4", {75}},  {"b1", {75}}};
constexpr Younger kSinceMatrix[] = {{"m16n16", {100, true}}, {"m8n16", {100, true}}, {"m16n8", {100, true}}};
// Scopes and windows of a cluster and hints for L2, of any opcode.
constexpr Younger kSinceCluster[] = {{"cluster", {90}},
                                     {"shared::cluster", {90}},
                                     {"L2::cache_hint", {80}},
                                     {"L2::256B", {80}},
                                     {"L2::evict*", {80}}};
constexpr Machine kNoPipe{Pipe::None, {}, false}, kWhole{Pipe::Whole, {}, false},
    kSums{Pipe::Sums, {}, false}, kFloats{Pipe::Floats, {}, false}, kBits{Pipe::Functions, {}, false};

// Lane by lane, and nothing but its operands: the forms say the rest (instructions/forms_*.cpp).
constexpr OpcodeRow value(std::string_view text, Computes computes, Machine machine, std::uint16_t work,
                          Since since) {
  return {text,    kThrough,       kFirst, kMovesNothing, Orders::Nothing, Sees::Operands, computes,
          machine, Parts::Nothing, work,   since,         LaneWise,        "lane by lane", kVariant};
}

constexpr OpcodeRow kUnknown{"",           kThrough,          kFirst,  kMovesNothing, Orders::Nothing,
                             Sees::Callee, Computes::Nothing, kNoPipe, Parts::All,    0,
                             20,           Reader::None,      "",      kVariant};

// clang-format off
constexpr OpcodeRow kRows[] = {
    value("abs", Computes::Other, {Pipe::Whole, {}, true}, 0, {20, kSinceSign}),
    value("add", Computes::Add, kSums, 0, {20, kSinceSum}),
    value("addc", Computes::Carry, kSums, 20, 20),
    value("and", Computes::And, kWhole, 0, 20),
    value("bfe", Computes::Extract, {Pipe::Whole, kBfe, false}, 12, 20),
    value("bfi", Computes::Insert, {Pipe::Whole, kBfi, false}, 10, 20),
    value("bfind", Computes::Other, kBits, 12, 20),
    value("bmsk", Computes::Other, kWhole, 0, 70),
    value("brev", Computes::Other, kBits, 12, 20),
    value("clz", Computes::Other, {Pipe::Functions, kClz, false}, 12, 20),
    value("cnot", Computes::Other, kWhole, 0, 20),
    value("copysign", Computes::Other, kWhole, 4, 20),
    value("cos", Computes::Other, {Pipe::Whole, kSine, false}, 100, 20),
    value("cvt", Computes::Convert, kWhole, 0, {20, kSinceCvt}),
    value("div", Computes::Divide, {Pipe::Divides, kDiv, false}, 40, 20),
    value("dp2a", Computes::Other, kWhole, 10, 61),
    value("dp4a", Computes::Other, kWhole, 10, 61),
    value("ex2", Computes::Other, {Pipe::Whole, kPower, false}, 100, {20, kSinceHalf}),
    value("fma", Computes::MultiplyAdd, kFloats, 0, {20, kSinceFma}),
    value("fns", Computes::Other, kWhole, 300, 30),
    value("istypep", Computes::Other, kWhole, 0, 30),
    value("lg2", Computes::Other, {Pipe::Whole, kPower, false}, 100, 20),
    value("lop3", Computes::Other, kWhole, 10, 50),
    value("mad", Computes::MultiplyAdd, kFloats, 0, 20),
    value("mad24", Computes::MultiplyAdd24, kFloats, 0, 20),
    value("madc", Computes::Carry, kSums, 20, 20),
    value("max", Computes::Other, {Pipe::Whole, kLess, false}, 8, {20, kSinceLess}),
    value("min", Computes::Other, {Pipe::Whole, kLess, false}, 8, {20, kSinceLess}),
    value("mul", Computes::Multiply, kFloats, 0, {20, kSinceSum}),
    value("mul24", Computes::Multiply24, kFloats, 0, 20),
    value("neg", Computes::Negate, {Pipe::Sums, {}, true}, 0, {20, kSinceSign}),
    value("not", Computes::Invert, kWhole, 0, 20),
    value("or", Computes::Or, kWhole, 0, 20),
    value("popc", Computes::CountOnes, kBits, 10, 20),
    value("prmt", Computes::Permute, kWhole, 30, 20),
    value("rcp", Computes::Other, {Pipe::Floats, kRcp, false}, 40, 20),
    value("rem", Computes::Remainder, {Pipe::Divides, kRem, false}, 80, 20),
    value("rsqrt", Computes::Other, {Pipe::Whole, kRsqrt, false}, 40, 20),
    value("sad", Computes::Other, kWhole, 6, 20),
    value("selp", Computes::Select, kWhole, 0, 20),
    value("set", Computes::Other, kWhole, 0, {20, kSinceHalf}),
    value("setp", Computes::Compare, kWhole, 0, {20, kSinceHalf}),
    value("shf", Computes::Funnel, kWhole, 10, 32),
    value("shl", Computes::ShiftLeft, kSums, 0, 20),
    value("shr", Computes::ShiftRight, kWhole, 0, 20),
    value("sin", Computes::Other, {Pipe::Whole, kSine, false}, 100, 20),
    value("slct", Computes::Other, kWhole, 0, 20),
    value("sqrt", Computes::Other, {Pipe::Floats, kSqrt, false}, 40, 20),
    value("sub", Computes::Subtract, kSums, 0, {20, kSinceSum}),
    value("subc", Computes::Carry, kSums, 20, 20),
    value("szext", Computes::Other, kWhole, 0, 70),
    value("tanh", Computes::Other, kWhole, 150, {75, kSinceHalf}),
    value("testp", Computes::Other, kWhole, 8, 20),
    value("vabsdiff", Computes::Other, kWhole, 20, 20),
    value("vabsdiff2", Computes::Other, kWhole, 60, 30),
    value("vabsdiff4", Computes::Other, kWhole, 60, 30),
    value("vadd", Computes::Other, kWhole, 20, 20),
    value("vadd2", Computes::Other, kWhole, 60, 30),
    value("vadd4", Computes::Other, kWhole, 60, 30),
    value("vavrg2", Computes::Other, kWhole, 60, 30),
    value("vavrg4", Computes::Other, kWhole, 60, 30),
    value("vmad", Computes::Other, kWhole, 20, 20),
    value("vmax", Computes::Other, kWhole, 20, 20),
    value("vmax2", Computes::Other, kWhole, 60, 30),
    value("vmax4", Computes::Other, kWhole, 60, 30),
    value("vmin", Computes::Other, kWhole, 20, 20),
    value("vmin2", Computes::Other, kWhole, 60, 30),
    value("vmin4", Computes::Other, kWhole, 60, 30),
    value("vset", Computes::Other, kWhole, 20, 20),
    value("vset2", Computes::Other, kWhole, 60, 30),
    value("vset4", Computes::Other, kWhole, 60, 30),
    value("vshl", Computes::Other, kWhole, 20, 20),
    value("vshr", Computes::Other, kWhole, 20, 20),
    value("vsub", Computes::Other, kWhole, 20, 20),
    value("vsub2", Computes::Other, kWhole, 60, 30),
    value("vsub4", Computes::Other, kWhole, 60, 30),
    value("xor", Computes::Xor, kWhole, 0, 20),

    // opcode, where the thread goes on, what it writes, moves, orders, sees and computes, its pipe, what ptxas leaves apart, work, sm, reader
    {"ld", kThrough, kFirst, kLoads, Orders::Nothing, Sees::Memory, Computes::Nothing, kNoPipe, Parts::Stores, 0, 20, Load, "memory",
     "global, shared, local, const, param, generic; v2, v4, v8; 8 to 128 bits; nc, volatile, relaxed, acquire; cache hints have no effect"},
    {"ldu", kThrough, kFirst, kLoads, Orders::Nothing, Sees::Memory, Computes::Nothing, kNoPipe, Parts::Stores, 0, 20, Load, "memory",
     "as ld.global"},
    {"st", kThrough, kNone, kStores, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Loads, 0, 20, Store, "memory",
     "global, shared, local, param, generic; v2, v4, v8; 8 to 128 bits; volatile, relaxed, release; cache hints have no effect"},
    {"atom", kThrough, kFirst, kUpdates, Orders::Nothing, Sees::Memory, Computes::Nothing, kNoPipe, Parts::Both, 150, {20, kSinceAtomic}, Atomic, "memory",
     "global, shared, generic; add (32- and 64-bit integers, f32, f64, f16, bf16 and their pairs), min and max (integers), and, or, xor, "
     "exch, cas (16 to 128 bits), inc, dec; add.v2, .v4, .v8 of f32, f16, bf16 in up to 16 bytes, min and max of f16, bf16; all orders and scopes"},
    {"red", kThrough, kNone, kUpdates, Orders::Nothing, Sees::Memory, Computes::Nothing, kNoPipe, Parts::Both, 150, {20, kSinceAtomic}, Atomic, "memory",
     "as atom, without exch and cas"},
    {"cp.async", kThrough, kNone, kCopies, Orders::Starts, Sees::Memory, Computes::Nothing, kNoPipe, Parts::All, 0, 80, AsyncCopy, "memory",
     "ca (4, 8, 16 bytes) and cg (16 bytes), shorter sources, ignore-src; commit_group, wait_group, wait_all, mbarrier.arrive. A copy "
     "lands in shared memory when its thread waits for it, or makes a barrier track it"},
    {"cp.async.commit_group", kThrough, kNone, kMovesNothing, Orders::Commit, Sees::Operands, Computes::Nothing, kNoPipe, Parts::AllStores, 0, 80, AsyncCommit, "memory", kVariant},
    {"cp.async.wait_group", kThrough, kNone, kMovesNothing, Orders::Wait, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 0, 80, AsyncWait, "memory", kVariant},
    {"cp.async.wait_all", kThrough, kNone, kMovesNothing, Orders::Wait, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 0, 80, AsyncWait, "memory", kVariant},
    {"cp.async.mbarrier.arrive", kThrough, kNone, kObject, Orders::Arrive, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 0, 80, AsyncArrive, "memory", kVariant},
    {"cp.async.bulk", kThrough, kNone, kBulk, Orders::Starts, Sees::Memory, Computes::Nothing, kNoPipe, Parts::All, 0, 90, Bulk, "memory",
     "global to shared memory with an mbarrier, also multicast; shared to global memory with a bulk group; to the shared memory of a peer; "
     "prefetch; commit_group, wait_group. A load lands when a thread waits for its barrier, a store at once; no cp_mask"},
    {"cp.async.bulk.commit_group", kThrough, kNone, kMovesNothing, Orders::Commit, Sees::Operands, Computes::Nothing, kNoPipe, Parts::AllStores, 0, 90, BulkGroup, "memory", kVariant},
    {"cp.async.bulk.wait_group", kThrough, kNone, kMovesNothing, Orders::Wait, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 0, 90, BulkGroup, "memory", kVariant},
    {"cp.async.bulk.prefetch", kThrough, kNone, kHint, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::AllStores, 0, 90, Bulk, "memory", kVariant},
    // In front of the copies of boxes, since of rows with as many words the first one is taken.
    {"cp.reduce.async.bulk", kThrough, kNone, kBulkUpdates, Orders::Starts, Sees::Memory, Computes::Nothing, kNoPipe, Parts::All, 0, 90, Bulk, "memory",
     "add, min, max, and, or, xor, inc, dec into global memory, of bytes and of boxes of tensors, and into a peer"},
    {"cp.async.bulk.tensor", kThrough, kNone, kBulk, Orders::Starts, Sees::Memory, Computes::Nothing, kNoPipe, Parts::All, 0, 90, Bulk, "memory",
     "1d to 5d, tile mode, both ways, multicast, prefetch: edges, element strides, swizzles of 32, 64 and 128 bytes; no im2col, no gather4"},
    {"cp.async.bulk.prefetch.tensor", kThrough, kNone, kHint, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::AllStores, 0, 90, Bulk, "memory", kVariant},
    {"st.async", kThrough, kNone, kToPeer, Orders::Starts, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Loads, 0, 90, AsyncStore, "memory",
     "b32, b64, v2, v4 to a peer, counted by its mbarrier"},
    {"red.async", kThrough, kNone, kUpdatesPeer, Orders::Starts, Sees::Memory, Computes::Nothing, kNoPipe, Parts::Both, 150, 90, AsyncStore, "memory",
     "as st.async, 32- and 64-bit integers"},
    {"ldmatrix", kThrough, kFirst, kMatrixLoad, Orders::Nothing, Sees::Memory, Computes::Nothing, kNoPipe, Parts::Nothing, 60, Since(75, kSinceMatrix), Matrix, "memory",
     "m8n8 of b16: x1, x2, x4, trans; m16n16.trans of b8, and of b8 from 6 and 4 bits, m8n16 from 6 and 4 bits (sm_100a; by PTX's text, not measured)"},
    {"stmatrix", kThrough, kNone, kMatrixStore, Orders::Nothing, Sees::Lanes, Computes::Nothing, kNoPipe, Parts::Both, 60, Since(90, kSinceMatrix), Matrix, "memory",
     "m8n8 of b16, as ldmatrix; m16n8.trans of b8 (sm_100a; by PTX's text, not measured)"},
    {"movmatrix", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Lanes, Computes::Transpose, kWhole, Parts::Nothing, 60, 75, Reader::Transpose, "memory",
     "m8n8.trans.b16"},
    {"st.bulk", kThrough, kNone, kDestroys, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Both, 0, 100, Store, "memory",
     "shared memory of a block, any number of bytes. Counted as stores of 8 bytes"},
    {"tensormap.replace", kThrough, kNone, kDestroys, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Both, 60, Architecture{90, true}, TensorMap, "memory",
     "all fields of maps in tile mode, in global and shared memory. Not counted, and not searched for races"},
    {"tensormap.cp_fenceproxy", kThrough, kNone, kDestroys, Orders::Nothing, Sees::Memory, Computes::Nothing, kNoPipe, Parts::All, 60, 90, TensorMap, "memory",
     "counted as loads and stores of 8 bytes; memory is always in order here"},
    {"tex", kThrough, kFirst, kTexture, Orders::Nothing, Sees::Memory, Computes::Nothing, kNoPipe, Parts::Nothing, 150, 20, Texture, "memory",
     "1d, 2d, 3d, a1d, a2d, cube, by f32 and s32 coordinates, v4 of f32, s32, u32; mipmaps by level and by grad (no cubes by grad); no "
     "offsets. Not counted"},
    {"tld4", kThrough, kFirst, kTexture, Orders::Nothing, Sees::Memory, Computes::Nothing, kNoPipe, Parts::Nothing, 300, 20, Texture, "memory",
     "2d and a2d, v4 of f32, s32, u32. Not counted"},
    {"suld", kThrough, kFirst, kSurfaceLoad, Orders::Nothing, Sees::Memory, Computes::Nothing, kNoPipe, Parts::Nothing, 70, 20, Surface, "memory",
     "b.1d, 2d, 3d, a1d, a2d; 8 to 64 bits, v2, v4; trap, clamp, zero. Not counted"},
    {"sust", kThrough, kNone, kSurfaceStore, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 70, 20, Surface, "memory",
     "as suld; p, into texels of 1 to 4 channels"},
    {"sured", kThrough, kNone, kSurfaceUpdate, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 150, 20, Surface, "memory",
     "b: add, min, max (u32, s32, u64, min and max of s64), and, or (b32); p: of u32 and s32. Not counted"},
    {"mapa", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Other, kWhole, Parts::Nothing, 0, 90, PeerAddress, "memory",
     "shared and generic addresses of a peer"},
    {"getctarank", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Other, kWhole, Parts::Nothing, 0, 90, PeerAddress, "memory", ""},
    {"cvta", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Address, kNoPipe, Parts::Nothing, 0, 20, Convert, "memory",
     "to and from global, shared, local, const, param"},
    {"isspacep", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Other, kWhole, Parts::Nothing, 0, 20, IsSpace, "memory",
     "global, shared, local, const, param"},
    {"mov", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Copy, kSums, Parts::Nothing, 0, 20, Move, "memory",
     "also packs and unpacks vectors, reads clocks and takes addresses of variables and functions"},
    {"membar", kThrough, kNone, kMovesNothing, Orders::Fence, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 60, 20, Fence, "memory",
     "all levels; memory is always in order here, the search for races takes note"},
    {"fence", kThrough, kNone, kMovesNothing, Orders::Fence, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 60, {70, kSinceFence}, Fence, "memory",
     "as membar; the checks want those of the async proxy and mbarrier_init"},
    {"prefetch", kThrough, kNone, kHint, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 0, 20, Nothing, "memory", "nothing happens"},
    {"prefetchu", kThrough, kNone, kHint, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 0, 20, Nothing, "memory", "nothing happens"},
    {"discard", kThrough, kNone, kDestroys, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 0, 80, Nothing, "memory", "its bytes have no value from then on, and hold another one"},
    {"applypriority", kThrough, kNone, kHint, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 0, 80, Nothing, "memory", "nothing happens"},
    {"createpolicy", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Other, kWhole, Parts::Nothing, 0, 80, Policy, "memory",
     "fractional, range, cvt: the policy is 0, and has no effect"},

    {"nanosleep", kThrough, kNone, kMovesNothing, Orders::Sleep, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 0, 70, Sleep, "control", "nothing happens"},
    {"griddepcontrol", kThrough, kNone, kMovesNothing, Orders::Kernels, Sees::Kernels, Computes::Nothing, kNoPipe, Parts::All, 0, 90, DependentKernels, "control",
     "a kernel starts when the one before is done; the search for races takes note of the wait"},
    {"setmaxnreg", kThrough, kNone, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 0, Architecture{90, true}, Nothing, "control", "nothing happens"},
    {"pmevent", kThrough, kNone, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::AllStores, 0, 20, Nothing, "control", "nothing happens"},
    {"bra", Next::Jump, kNone, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 0, 20, Branch, "control",
     "with and without a guard; lanes part and meet again at the immediate post-dominator"},
    {"brx", Next::JumpIndexed, kNone, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 0, 20, BranchIndexed, "control",
     "brx.idx with its list of .branchtargets"},
    {"call", Next::Call, kNone, kMovesNothing, Orders::Nothing, Sees::Callee, Computes::Nothing, kNoPipe, Parts::All, 40, 20, Call, "control",
     "functions of the module, with arguments in variables and registers, recursion, function pointers; vprintf, __assertfail, malloc and free; under `lab run` "
     "launches, copies and fills by kernels, their streams and events"},
    {"ret", Next::Return, kNone, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 0, 20, End, "control", ""},
    {"exit", Next::Exit, kNone, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 0, 20, End, "control", ""},
    {"trap", Next::Trap, kNone, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::Nothing, 0, 20, End, "control", "a fault"},
    {"brkpt", Next::Trap, kNone, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Nothing, kNoPipe, Parts::AllStores, 0, 20, End, "control", "a fault"},

    {"bar", kThrough, kNone, kMovesNothing, Orders::Barrier, Sees::Block, Computes::Nothing, kNoPipe, Parts::All, 30, 20, Barrier, "barriers",
     "sync, arrive, red.popc, red.and, red.or, with a number and a thread count; warp.sync"},
    {"bar.arrive", kThrough, kNone, kMovesNothing, Orders::Arrive, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 30, 20, Barrier, "barriers", kVariant},
    {"bar.red", kThrough, kFirst, kMovesNothing, Orders::Barrier, Sees::Block, Computes::Nothing, kNoPipe, Parts::All, 30, 20, Barrier, "barriers", kVariant},
    {"bar.warp", kThrough, kNone, kMovesNothing, Orders::Lanes, Sees::Warp, Computes::Nothing, kNoPipe, Parts::All, 30, 30, WarpBarrier, "barriers", kVariant},
    {"barrier", kThrough, kNone, kMovesNothing, Orders::Barrier, Sees::Block, Computes::Nothing, kNoPipe, Parts::All, 30, 30, Barrier, "barriers",
     "as bar; cluster.arrive, cluster.wait"},
    {"barrier.arrive", kThrough, kNone, kMovesNothing, Orders::Arrive, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 30, 30, Barrier, "barriers", kVariant},
    {"barrier.red", kThrough, kFirst, kMovesNothing, Orders::Barrier, Sees::Block, Computes::Nothing, kNoPipe, Parts::All, 30, 30, Barrier, "barriers", kVariant},
    {"barrier.cluster", kThrough, kNone, kMovesNothing, Orders::Wait, Sees::Cluster, Computes::Nothing, kNoPipe, Parts::All, 30, 90, ClusterBarrier, "barriers", kVariant},
    {"barrier.cluster.arrive", kThrough, kNone, kMovesNothing, Orders::Arrive, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 30, 90, ClusterBarrier, "barriers", kVariant},
    {"mbarrier", kThrough, kNone, kObject, Orders::Arrive, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 150, {80, kSinceObject}, Mbarrier, "barriers",
     "init, inval, arrive, arrive_drop (with expect_tx, noComplete), expect_tx, complete_tx, test_wait and try_wait (with a state or "
     "parity), pending_count; arrivals also in a peer's shared memory"},
    // The state that it returns says how many others have arrived.
    {"mbarrier.arrive", kThrough, kFirst, kObject, Orders::Arrive, Sees::Block, Computes::Nothing, kNoPipe, Parts::All, 150, {80, kSinceObject}, Mbarrier, "barriers", kVariant},
    {"mbarrier.arrive_drop", kThrough, kFirst, kObject, Orders::Arrive, Sees::Block, Computes::Nothing, kNoPipe, Parts::All, 150, {80, kSinceObject}, Mbarrier, "barriers", kVariant},
    {"mbarrier.test_wait", kThrough, kFirst, kTested, Orders::Wait, Sees::Block, Computes::Nothing, kNoPipe, Parts::All, 150, {80, kSinceObject}, Mbarrier, "barriers", kVariant},
    {"mbarrier.try_wait", kThrough, kFirst, kTested, Orders::Wait, Sees::Block, Computes::Nothing, kNoPipe, Parts::All, 150, {90, kSinceObject}, Mbarrier, "barriers", kVariant},
    {"mbarrier.pending_count", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Operands, Computes::Other, kWhole, Parts::All, 150, {80, kSinceObject}, Mbarrier, "barriers", kVariant},

    {"activemask", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Warp, Computes::Nothing, kNoPipe, Parts::Nothing, 10, 30, ActiveMask, "warp operations", ""},
    {"shfl", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Lanes, Computes::Nothing, kNoPipe, Parts::Nothing, 100, 30, Warp, "warp operations", "shfl.sync up, down, bfly, idx; without .sync before sm_70"},
    {"vote", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Warp, Computes::Nothing, kNoPipe, Parts::Nothing, 30, 30, Warp, "warp operations", "vote.sync all, any, uni, ballot; without .sync before sm_70"},
    {"match", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Lanes, Computes::Nothing, kNoPipe, Parts::Nothing, 150, 70, Warp, "warp operations", "match.sync any, all; b32, b64"},
    {"redux", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Warp, Computes::Nothing, kNoPipe, Parts::Nothing, 60, {80, kSinceRedux}, Warp, "warp operations", "redux.sync add, min, max (u32, s32), and, or, xor (b32); min, max with abs and NaN (f32, sm_100a)"},
    {"elect", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Lanes, Computes::Nothing, kNoPipe, Parts::Nothing, 30, 90, Warp, "warp operations", "elect.sync"},

    {"mma", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Lanes, Computes::Nothing, kNoPipe, Parts::Nothing, 1000, {70, kSinceMma}, Tensor, "tensor cores",
     "mma.sync: f16 m8n8k4, m16n8k8, m16n8k16; bf16 m16n8k8, m16n8k16; tf32 m16n8k4, m16n8k8; f64 m8n8k4, m16n8k4, m16n8k8, m16n8k16; "
     "e4m3 and e5m2 m16n8k16, m16n8k32; s8 and u8 m8n8k16, m16n8k16, m16n8k32; s4 and u4 m8n8k32, m16n8k32, m16n8k64, satfinite; b1 (xor, "
     "and) m8n8k128, m16n8k128, m16n8k256; sp, with and without ordered_metadata: f16 and bf16 m16n8k16, m16n8k32; tf32 m16n8k8, m16n8k16; "
     "e4m3 and e5m2 m16n8k64; s8 and u8 m16n8k32, m16n8k64; s4 and u4 m16n8k64, m16n8k128"},
    {"wmma.mma", kThrough, kFirst, kMovesNothing, Orders::Nothing, Sees::Lanes, Computes::Nothing, kNoPipe, Parts::Nothing, 2000, {70, kSinceWmma}, Tensor, "tensor cores",
     "f16, bf16, s8, u8 (satfinite) m16n16k16, m8n32k16, m32n8k16; tf32 m16n16k8; f64 m8n8k4; s4, u4 m8n8k32; b1 (xor, and) m8n8k128; all "
     "layouts"},
    {"wgmma", kThrough, kNone, kMovesNothing, Orders::Wait, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 0, 90, Warpgroup, "tensor cores",
     "mma_async m64nNk*: f16, bf16, tf32, e4m3, e5m2, s8 and u8 (satfinite), b1 (and); A in registers or shared memory, all swizzles, lines "
     "along and across; fence, commit_group, wait_group; nothing sparse"},
    {"wgmma.mma_async", kThrough, Writes::Adds, kProduct, Orders::Starts, Sees::Memory, Computes::Nothing, kNoPipe, Parts::All, 0, 90, Warpgroup, "tensor cores", kVariant},
    {"wgmma.commit_group", kThrough, kNone, kMovesNothing, Orders::Commit, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 0, 90, Warpgroup, "tensor cores", kVariant},
    {"wgmma.fence", kThrough, kNone, kMovesNothing, Orders::Fence, Sees::Operands, Computes::Nothing, kNoPipe, Parts::All, 0, 90, Warpgroup, "tensor cores", kVariant},
    {"wmma.load", kThrough, kFirst, kFragmentLoad, Orders::Nothing, Sees::Memory, Computes::Nothing, kNoPipe, Parts::Stores, 0, {70, kSinceWmma}, Fragment, "tensor cores",
     "a, b, c of these; global, shared, generic; a stride or none. Counted as the loads that ptxas makes of it, ldmatrix among them"},
    {"wmma.store", kThrough, kNone, kFragmentStore, Orders::Nothing, Sees::Lanes, Computes::Nothing, kNoPipe, Parts::Loads, 0, {70, kSinceWmma}, Fragment, "tensor cores",
     "d, as wmma.load"},
};
// clang-format on

// Words that may stand again and say nothing new, as `ptxas` 13.0 has it.
constexpr std::string_view kIdle[] = {"NaN",  "approx",    "cc",       "relu", "sat",
                                      "sync", "satfinite", "shiftamt", "uni"};
// Words that may stand twice since they say two things: one layout of each matrix, what becomes of some and of other accesses.
struct Pair {
  std::string_view word;
  Reader reader;
};
// The words that may stand behind an opcode, by what reads it; `*`: one type, whichever.
struct Words {
  Reader reader;
  std::string_view all;
};
constexpr Words kWords[] = {
    {Branch, "uni"},
    {Call, "uni"},
    {Policy,
     "fractional range cvt L2 global L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged "
     "b64"},
    {Convert,
     "to global shared local const param shared::cta shared::cluster param::entry param::func u64 u32"},
    {PeerAddress, "shared::cluster u64 u32"},
    {IsSpace, "global shared local const param shared::cta shared::cluster param::entry param::func"},
    {Fence,
     "sc acq_rel acquire release gpu cta sys cluster gl proxy async global shared::cta shared::cluster alias "
     "tensormap::generic mbarrier_init sync_restrict::shared::cta sync_restrict::shared::cluster"},
    {DependentKernels, "wait launch_dependents"},
    {Surface, "b p 1d 2d 3d a1d a2d trap clamp zero v2 v4 add min max and or *"},
    {Move, "v2 v4 *"},
    {Atomic,
     "relaxed acquire release acq_rel gpu cta sys cluster global shared shared::cta shared::cluster add min "
     "max and "
     "or xor exch cas inc dec noftz v2 v4 v8 L2::cache_hint *"},
    {Load,
     "volatile relaxed acquire weak mmio gpu cta sys cluster global shared shared::cta shared::cluster const "
     "local "
     "param param::entry param::func ca cg cs lu cv nc v2 v4 v8 L1::evict_normal L1::evict_unchanged "
     "L2::evict_normal L2::evict_first L2::evict_last "
     "L1::evict_first L1::evict_last L1::no_allocate L2::64B L2::128B L2::256B L2::cache_hint *"},
    {Store,
     "volatile relaxed release weak mmio gpu cta sys cluster global shared shared::cta shared::cluster local "
     "param "
     "param::entry param::func const bulk wb cg cs wt v2 v4 v8 L1::evict_normal L1::evict_unchanged "
     "L1::evict_first "
     "L1::evict_last L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint *"},
    {AsyncCopy, "async ca cg shared shared::cta global L2::64B L2::128B L2::256B L2::cache_hint"}};
constexpr Pair kPairs[] = {
    {"row", Tensor}, {"col", Tensor}, {"L2::evict_first", Policy}, {"L2::evict_unchanged", Policy}};
constexpr std::string_view kFormats[] = {
    "tf32",   "e4m3x2", "e5m2x2", "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2", "e4m3x4", "e5m2x4",
    "e2m1x4", "e2m3x4", "e3m2x4", "e4m3",   "e5m2",   "s4",     "u4",      "b1"};  // beside those with a row

bool is_among(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_type(std::string_view word) { return type_named(word) != Type::None || is_among(kFormats, word); }

// The rows of an opcode, each with the modifiers that it wants.
struct Variant {
  const OpcodeRow* row;
  std::vector<std::string> words;
};
using Index = std::map<std::string_view, std::vector<Variant>>;

Index made_index() {
  Index index;
  for (const OpcodeRow& row : kRows) index[row.opcode()].push_back({&row, modifiers_of(row.text)});
  for (auto& [opcode, variants] : index)
    std::stable_sort(variants.begin(), variants.end(),
                     [](const Variant& a, const Variant& b) { return a.words.size() > b.words.size(); });
  return index;
}

}  // namespace

std::span<const OpcodeRow> opcode_rows() { return kRows; }

std::vector<std::string> modifiers_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t dot = text.find('.'); dot != text.npos; dot = text.find('.')) {
    text.remove_prefix(dot + 1);
    words.emplace_back(text.substr(0, text.find('.')));
  }
  return words;
}

Architecture first_architecture(const OpcodeRow& row, std::span<const std::string> modifiers,
                                std::size_t operands) {
  const auto occurs = [&](std::string_view word) {
    if (const std::size_t dot = word.find('.'); dot != word.npos) {
      const auto first = std::find(modifiers.begin(), modifiers.end(), word.substr(0, dot));
      return std::find(first, modifiers.end(), word.substr(dot + 1)) != modifiers.end();
    }
    const bool begins = word.ends_with('*');
    const std::string_view stem = word.substr(0, word.size() - (begins ? 1 : 0));
    return std::any_of(modifiers.begin(), modifiers.end(),
                       [&](const std::string& m) { return begins ? m.starts_with(stem) : m == stem; });
  };
  const auto fits = [&](const Younger& form) {
    std::string_view rest = form.words;
    while (!rest.empty()) {
      if (!occurs(rest.substr(0, rest.find(' ')))) return false;
      rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
    }
    return form.operands == 0 || form.operands == operands;
  };
  Architecture first = row.since.opcode;
  for (const std::span<const Younger> forms : {row.since.younger, std::span<const Younger>(kSinceCluster)}) {
    const auto found = std::find_if(forms.begin(), forms.end(), fits);
    if (found != forms.end() && found->since.sm >= first.sm) first = found->since;
  }
  return first;
}

const OpcodeRow& unknown_opcode() { return kUnknown; }

void drop_repeated(std::vector<std::string>& modifiers) {
  for (auto word = modifiers.begin(); word != modifiers.end();) {
    const bool again = is_among(kIdle, *word) && std::find(modifiers.begin(), word, *word) != word;
    word = again ? modifiers.erase(word) : word + 1;
  }
}

std::string_view stranger(const OpcodeRow& row, std::span<const std::string> modifiers) {
  const auto* const words = std::find_if(std::begin(kWords), std::end(kWords),
                                         [&](const Words& one) { return one.reader == row.reader; });
  if (words == std::end(kWords)) return {};
  const auto has = [&](std::string_view word) {
    return (" " + std::string(words->all) + " ").find(" " + std::string(word) + " ") != std::string::npos;
  };
  for (const std::string& word : modifiers)
    if (!has(word) && !(has("*") && type_named(word) != Type::None && word != "pred") &&
        !(row.reader == Move && word == "pred"))
      return word;
  return {};
}

std::string_view repeated(const OpcodeRow& row, std::span<const std::string> modifiers) {
  const bool typed = &row == &kUnknown || row.reader == LaneWise || row.reader == Tensor ||
                     row.reader == Texture || row.reader == Warpgroup;
  int types = 0;
  for (const std::string& word : modifiers) {
    if (!typed && is_type(word) && ++types > 1) return word;
    const bool pair = std::any_of(std::begin(kPairs), std::end(kPairs), [&](const Pair& one) {
      return one.word == word && one.reader == row.reader;
    });
    if ((!typed || !is_type(word)) && std::count(modifiers.begin(), modifiers.end(), word) > (pair ? 2 : 1))
      return word;
  }
  return {};
}

std::string in_order(std::string_view full_opcode) {
  static constexpr std::string_view kParts[] = {"lo", "hi", "wide", "l", "r", "full", "pack"};
  const auto rank = [&](const std::string& word) {
    return is_among(kParts, word) ? 0 : is_type(word) ? 2 : 1;
  };
  std::vector<std::string> words = modifiers_of(full_opcode);
  for (std::size_t k = 1; k < words.size(); ++k)
    if (rank(words[k]) == 0) return {};
  std::stable_sort(words.begin(), words.end(), [&](const std::string& a, const std::string& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : rank(a) == 1 && a < b;
  });
  std::string text(full_opcode.substr(0, full_opcode.find('.')));
  for (const std::string& word : words) text += "." + word;
  return text;
}

std::string_view spelled_today(std::string_view full_opcode) {
  if (full_opcode == "mad.f32") return "fma.rn.ftz.f32";
  return full_opcode == "mad.sat.f32" ? "fma.rn.ftz.sat.f32" : full_opcode;
}

const OpcodeRow& opcode_row(std::string_view full_opcode) {
  return opcode_row(full_opcode.substr(0, full_opcode.find('.')), modifiers_of(full_opcode));
}

const OpcodeRow& opcode_row(std::string_view opcode, std::span<const std::string> modifiers) {
  static const Index index = made_index();
  const auto found = index.find(opcode);
  if (found == index.end()) return kUnknown;
  for (const Variant& variant : found->second) {
    const bool fits = std::all_of(variant.words.begin(), variant.words.end(), [&](const std::string& word) {
      return std::find(modifiers.begin(), modifiers.end(), word) != modifiers.end();
    });
    if (fits) return *variant.row;
  }
  return kUnknown;
}

}  // namespace lab::sim::ptx
