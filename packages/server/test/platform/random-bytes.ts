import { hash } from 'node:crypto'
import { replaceMembers } from './replaced-members.ts'

/** Returns the next bytes of a stream. */
export type Draw = (length: number) => Uint8Array

/** Bytes that follow from a seed. */
export function createBytes(seed: string): Draw {
  let count = 0
  let left: Buffer = Buffer.alloc(0)
  return (length) => {
    while (left.length < length) left = Buffer.concat([left, hash('sha512', `${seed} ${count++}`, 'buffer')])
    const bytes = left.subarray(0, length)
    left = left.subarray(length)
    return bytes
  }
}

/** Replaces the random bytes of this process. Returns what restores them. */
export function replaceRandomBytes(draw: Draw): () => void {
  return replaceMembers(crypto, {
    getRandomValues(array: unknown) {
      if (!(array instanceof Uint8Array)) throw new TypeError('only bytes are random here')
      array.set(draw(array.length))
      return array
    },
  })
}
