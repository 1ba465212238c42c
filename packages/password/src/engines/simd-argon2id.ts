import type { Argon2Job } from './engine.ts'

/** What `argon2id`'s WebAssembly offers: each argument is an address in its memory. */
export interface BlockFunctions {
  /** The compression function G of RFC 9106 §3.5: result and scratch are written. */
  G(left: number, right: number, result: number, scratch: number): void
  /** G with zero, twice: one block of pseudo-random addresses. */
  G2(zero: number, input: number, result: number, scratch: number): void
  xor(result: number, left: number, right: number): void
  /** Lane and column of the block to refer to (§3.4.2), written as two 32-bit numbers. */
  getLZ(
    result: number,
    random: number,
    lane: number,
    lanes: number,
    pass: number,
    slice: number,
    offset: number,
    slices: number,
    segmentLength: number,
  ): void
}

/** BLAKE2b of so many bytes. */
export type Blake2b = (length: number, data: Uint8Array) => Uint8Array

const blockBytes = 1024
const slices = 4
const addressesPerBlock = blockBytes / 8
/** Where things are in memory: working blocks first, then the matrix. */
const at = { scratch: 0, addresses: 1024, input: 2048, zero: 3072, reference: 4096, sum: 5120, matrix: 6144 } as const

/** The bytes of memory that a job needs. */
export function memoryNeeded({ memoryKib }: Argon2Job): number {
  return at.matrix + memoryKib * blockBytes
}

/** The numbers of one computation. */
interface Shape {
  readonly lanes: number
  readonly passes: number
  /** Blocks in all, in one lane, and in one of its four segments. */
  readonly blocks: number
  readonly laneLength: number
  readonly segmentLength: number
}

interface Segment {
  readonly pass: number
  readonly slice: number
  readonly lane: number
}

/**
 * Computes Argon2id (RFC 9106 §3.2, version 1.3) with block functions in WebAssembly: only addresses go to and fro, and
 * nothing is allocated for a block. The caller sees to it that the memory is large and zero, and zeroes it afterwards.
 */
export function computeArgon2id(
  job: Argon2Job,
  functions: BlockFunctions,
  memory: ArrayBuffer,
  blake2b: Blake2b,
): Uint8Array {
  const lanes = job.parallelism
  const segmentLength = Math.floor(job.memoryKib / (slices * lanes))
  const laneLength = slices * segmentLength
  const shape = { lanes, passes: job.iterations, blocks: lanes * laneLength, laneLength, segmentLength }
  fillFirstBlocks(job, shape, new Uint8Array(memory), blake2b)
  for (let pass = 0; pass < shape.passes; pass++) {
    for (let slice = 0; slice < slices; slice++) {
      for (let lane = 0; lane < lanes; lane++) fillSegment(shape, { pass, slice, lane }, functions, memory)
    }
  }
  const last = (lane: number): number => addressOf(shape, lane, laneLength - 1)
  for (let lane = 1; lane < lanes; lane++) functions.xor(last(0), last(0), last(lane))
  return hashVariably(job.length, new Uint8Array(memory, last(0), blockBytes), blake2b)
}

function addressOf({ laneLength }: Shape, lane: number, column: number): number {
  return at.matrix + (lane * laneLength + column) * blockBytes
}

function fillSegment(shape: Shape, segment: Segment, functions: BlockFunctions, memory: ArrayBuffer): void {
  const { pass, slice, lane } = segment
  const { lanes, laneLength, segmentLength } = shape
  const reference = new Uint32Array(memory, at.reference, 2)
  const isIndependent = pass === 0 && slice < slices / 2
  const nextAddresses = isIndependent ? createAddresses(shape, segment, functions, memory) : () => {}
  for (let offset = pass + slice === 0 ? 2 : 0; offset < segmentLength; offset++) {
    const column = slice * segmentLength + offset
    const previous = addressOf(shape, lane, (column + laneLength - 1) % laneLength)
    nextAddresses(offset)
    const random = isIndependent ? at.addresses + (offset % addressesPerBlock) * 8 : previous
    functions.getLZ(at.reference, random, lane, lanes, pass, slice, offset, slices, segmentLength)
    const other = addressOf(shape, reference[0] ?? 0, reference[1] ?? 0)
    fillBlock(functions, pass, addressOf(shape, lane, column), previous, other)
  }
}

/** From the second pass on, the new block is added to the one that stands there (§3.2, step 6). */
function fillBlock({ G, xor }: BlockFunctions, pass: number, current: number, previous: number, other: number): void {
  G(previous, other, pass === 0 ? current : at.sum, at.scratch)
  if (pass > 0) xor(current, current, at.sum)
}

/** Returns a function that writes the next 128 pseudo-random addresses whenever an offset needs them (RFC 9106 §3.4.1.2). */
function createAddresses(
  { blocks, passes }: Shape,
  { pass, slice, lane }: Segment,
  { G2 }: BlockFunctions,
  memory: ArrayBuffer,
): (offset: number) => void {
  const input = new Uint32Array(memory, at.input, blockBytes / 4)
  const type = 2
  input.fill(0)
  // 64-bit numbers, little-endian, none of which needs its upper half.
  for (const [index, value] of [pass, lane, slice, blocks, passes, type].entries()) input[2 * index] = value
  let counter = 0
  return (offset) => {
    if (Math.floor(offset / addressesPerBlock) < counter) return
    counter++
    input[12] = counter
    G2(at.zero, at.input, at.addresses, at.scratch)
  }
}

/** The first two blocks of each lane (RFC 9106 §3.2, steps 1 to 4). */
function fillFirstBlocks(job: Argon2Job, shape: Shape, bytes: Uint8Array, blake2b: Blake2b): void {
  const seed = new Uint8Array(72)
  const view = new DataView(seed.buffer)
  seed.set(blake2b(64, initialInput(job)))
  for (let lane = 0; lane < shape.lanes; lane++) {
    for (const column of [0, 1]) {
      view.setUint32(64, column, true)
      view.setUint32(68, lane, true)
      bytes.set(hashVariably(blockBytes, seed, blake2b), addressOf(shape, lane, column))
    }
  }
  seed.fill(0)
}

function initialInput({ password, salt, parallelism, length, memoryKib, iterations }: Argon2Job): Uint8Array {
  const version = 0x13
  const type = 2
  const none = new Uint8Array()
  const input = new Uint8Array(24 + 16 + password.length + salt.length)
  const view = new DataView(input.buffer)
  let end = 0
  for (const number of [parallelism, length, memoryKib, iterations, version, type]) {
    view.setUint32(end, number, true)
    end += 4
  }
  // Password, salt, secret, associated data, each after its length.
  for (const part of [password, salt, none, none]) {
    view.setUint32(end, part.length, true)
    input.set(part, end + 4)
    end += 4 + part.length
  }
  return input
}

/** The variable-length hash H′ of RFC 9106 §3.3. */
function hashVariably(length: number, data: Uint8Array, blake2b: Blake2b): Uint8Array {
  const input = new Uint8Array(4 + data.length)
  new DataView(input.buffer).setUint32(0, length, true)
  input.set(data, 4)
  if (length <= 64) return blake2b(length, input)
  const output = new Uint8Array(length)
  let part = blake2b(64, input)
  let end = 0
  for (; length - end > 64; end += 32) {
    output.set(part.subarray(0, 32), end)
    part = blake2b(Math.min(64, length - end - 32), part)
  }
  output.set(part, end)
  return output
}
