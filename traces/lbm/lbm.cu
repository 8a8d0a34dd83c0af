// Fluid flow by the lattice Boltzmann method: the D3Q19 lattice (Qian, d'Humieres
// and Lallemand, "Lattice BGK models for Navier-Stokes equation", 1992), with
// relaxation towards equilibrium by one rate, in a box with solid walls and
// obstacles, driven by cells of fixed velocity.
//
// A lattice has 20 fields of `field` floats, one behind the other: the
// populations of the 19 directions and the kind of each cell. Cell (x, y, z) is
// at origin + x + pitch * (y + height * z) of each field; the cells before the
// first and behind the last are a margin that streaming may touch.
#define DIRECTIONS 19
#define KIND 19
#define SOLID 1.0f
#define DRIVEN 2.0f
#define RATE 1.95f
#define DRIVEN_X 0.005f
#define DRIVEN_Y 0.002f

// Directions are numbered in pairs behind the resting one: 2n is the opposite of
// 2n - 1. The weights of the equilibrium depend on how many axes move.
constexpr int cx[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
constexpr int cy[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
constexpr int cz[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
constexpr int opposite(int i) { return i == 0 ? 0 : i % 2 ? i + 1 : i - 1; }
constexpr float weight(int i) { return i == 0 ? 1.0f / 3.0f : i < 7 ? 1.0f / 18.0f : 1.0f / 36.0f; }

// a + sign * b for a sign of -1, 0 or 1, without the product: b times zero would
// be an instruction, since b could be infinite. For the same reason sums begin
// with -0: unlike 0, it changes nothing that it is added to.
__device__ __forceinline__ float add_signed(float a, int sign, float b) {
  return sign == 0 ? a : sign > 0 ? a + b : a - b;
}

// One time step, one cell a thread and one row of cells a thread block: a cell
// reads its populations, relaxes them (a solid cell turns them round), and sends
// each to the neighbour in its direction.
extern "C" __global__ void stream_collide(const float *__restrict__ from, float *__restrict__ to, int field, int origin,
                                          int pitch, int height) {
  int plane = pitch * height;
  int cell = origin + int(threadIdx.x) + pitch * int(blockIdx.x) + plane * int(blockIdx.y);
  float f[DIRECTIONS];
#pragma unroll
  for (int i = 0; i < DIRECTIONS; i++)
    f[i] = from[i * field + cell];
  float kind = from[KIND * field + cell];

  if (kind == SOLID) {
#pragma unroll
    for (int i = 0; i < DIRECTIONS; i++)
      to[i * field + cell + cx[i] + pitch * cy[i] + plane * cz[i]] = f[opposite(i)];
    return;
  }
  float density = -0.0f, ux = -0.0f, uy = -0.0f, uz = -0.0f;
#pragma unroll
  for (int i = 0; i < DIRECTIONS; i++) {
    density += f[i];
    ux = add_signed(ux, cx[i], f[i]);
    uy = add_signed(uy, cy[i], f[i]);
    uz = add_signed(uz, cz[i], f[i]);
  }
  ux /= density;
  uy /= density;
  uz /= density;
  if (kind == DRIVEN) {
    ux = DRIVEN_X;
    uy = DRIVEN_Y;
    uz = 0.0f;
  }
  float rest = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int i = 0; i < DIRECTIONS; i++) {
    float along = add_signed(add_signed(add_signed(-0.0f, cx[i], ux), cy[i], uy), cz[i], uz);
    float equilibrium = weight(i) * density * (rest + along * (3.0f + 4.5f * along));
    to[i * field + cell + cx[i] + pitch * cy[i] + plane * cz[i]] = (1.0f - RATE) * f[i] + RATE * equilibrium;
  }
}
