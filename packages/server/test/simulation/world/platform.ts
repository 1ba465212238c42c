import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash,
  KeyObject,
  sign as signWith,
  timingSafeEqual,
  verify as verifyWith,
} from 'node:crypto'
import type { Draw } from '../../platform/random-bytes.ts'
import { replaceMembers } from '../../platform/replaced-members.ts'
import { currentMachine } from './machine.ts'
import type { Timer, World } from './world.ts'

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  dateNow: Date.now,
  performanceNow: performance.now.bind(performance),
  getRandomValues: crypto.getRandomValues.bind(crypto),
  sign: crypto.subtle.sign.bind(crypto.subtle),
  verify: crypto.subtle.verify.bind(crypto.subtle),
  generateKey: crypto.subtle.generateKey.bind(crypto.subtle),
  importKey: crypto.subtle.importKey.bind(crypto.subtle),
  digest: crypto.subtle.digest.bind(crypto.subtle),
}

/** Runs the work with keys that can be read again: signatures in a world are computed from their bytes. */
export async function withReadableKeys<T>(work: () => Promise<T>): Promise<T> {
  return work().finally(replaceMembers(crypto.subtle, { importKey: readably }))
}

const readably: typeof real.importKey = (format: never, data: object, algorithm, _isExtractable, uses) => {
  const readable = 'ext' in data ? { ...data, ext: true } : data
  return real.importKey(format, readable as never, algorithm, true, uses)
}

/**
 * Resolves when everything that can run without the schedule has run: a tick comes after all promises, and the second
 * one after what the first ticks have started.
 */
export function quiescence(): Promise<void> {
  return new Promise((resolve) => process.nextTick(() => process.nextTick(resolve)))
}

/**
 * Replaces clock, timers, random bytes and signatures for all code that runs in a machine of the world; other code
 * keeps those of the platform. Returns what restores them.
 */
export function enterWorld(world: World, bytes: Draw): () => void {
  const restores = [
    replaceMembers(globalThis, simulatedTimers(world)),
    replaceMembers(Date, {
      now() {
        const machine = currentMachine()
        return machine ? world.now() + machine.skewMs : real.dateNow()
      },
    }),
    replaceMembers(performance, { now: () => (currentMachine() ? world.now() : real.performanceNow()) }),
    replaceMembers(crypto, {
      getRandomValues(array: Uint8Array<ArrayBuffer>) {
        if (!currentMachine()) return real.getRandomValues(array)
        array.set(bytes(array.length))
        return array
      },
    }),
    replaceMembers(crypto.subtle, { ...simulatedSignatures(world), ...simulatedKeys(bytes) }),
  ]
  return () => {
    for (const restore of restores) restore()
  }
}

function simulatedKeys(bytes: Draw) {
  return {
    generateKey: async (...given: Parameters<typeof real.generateKey>) =>
      currentMachine() ? generateKey(bytes(32), ...given) : real.generateKey(...given),
    importKey: (...given: Parameters<typeof readably>) => (currentMachine() ? readably : real.importKey)(...given),
    digest: async (...given: Parameters<typeof real.digest>) =>
      currentMachine() ? digest(...given) : real.digest(...given),
  }
}

function generateKey(bytes: Uint8Array, ...[algorithm, isExtractable, uses]: Parameters<typeof real.generateKey>) {
  if (algorithm !== 'Ed25519') return createSecretKey(bytes).toCryptoKey(algorithm, isExtractable, uses as never)
  const key = createPrivateKey({ key: Buffer.concat([ed25519Prefix, bytes]), format: 'der', type: 'pkcs8' })
  return {
    privateKey: key.toCryptoKey(algorithm, isExtractable, ['sign']),
    publicKey: createPublicKey(key).toCryptoKey(algorithm, true, ['verify']),
  }
}

/** What PKCS #8 has before the 32 bytes of a private key (RFC 8410). */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

function digest(algorithm: AlgorithmIdentifier, data: BufferSource): ArrayBuffer {
  if (algorithm !== 'SHA-256') throw new TypeError(`a world has no digest ${JSON.stringify(algorithm)}`)
  const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data
  return new Uint8Array(hash('sha256', new Uint8Array(bytes), 'buffer')).buffer
}

interface Handle {
  readonly timer: Timer | null
  ref(): Handle
  unref(): Handle
}

function simulatedTimers(world: World) {
  const toHandle = (timer: Timer | null): Handle => {
    const handle: Handle = { timer, ref: () => handle, unref: () => handle }
    return handle
  }
  const start =
    (repeats: boolean, original: (work: () => void, milliseconds?: number) => unknown) =>
    (work: () => void, milliseconds = 0): unknown =>
      currentMachine() ? toHandle(world.setTimer(milliseconds, work, repeats)) : original(work, milliseconds)
  const stop =
    (original: (handle: never) => void) =>
    (handle: unknown): void => {
      if (typeof handle !== 'object' || handle === null || !('timer' in handle)) original(handle as never)
      else if (handle.timer) world.stopTimer(handle.timer as Timer)
    }
  return {
    setTimeout: start(false, real.setTimeout),
    clearTimeout: stop(real.clearTimeout),
    setInterval: start(true, real.setInterval),
    clearInterval: stop(real.clearInterval),
    setImmediate: (work: () => void): unknown => {
      if (!currentMachine()) return real.setImmediate(work)
      void world.wait('turn').then(work)
      return toHandle(null)
    },
  }
}

/** Signatures in the turn in which the schedule picks them; threads would answer in an order of the machine. */
function simulatedSignatures(world: World) {
  const hmac = (key: KeyObject, data: Uint8Array): Buffer => createHmac('sha256', key).update(data).digest()
  const signed = (key: KeyObject, data: Uint8Array): Buffer =>
    key.type === 'secret' ? hmac(key, data) : signWith(null, data, key)
  const isSigned = (key: KeyObject, signature: Uint8Array, data: Uint8Array): boolean => {
    if (key.type !== 'secret') return verifyWith(null, data, key, signature)
    const code = hmac(key, data)
    return code.length === signature.length && timingSafeEqual(code, signature)
  }
  const sign = async (algorithm: unknown, key: unknown, data: unknown): Promise<ArrayBuffer> => {
    if (!currentMachine()) return real.sign(algorithm as never, key as never, data as never)
    await world.wait('signature')
    const bytes = signed(KeyObject.from(key as never), data as Uint8Array)
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
  }
  const verify = async (algorithm: unknown, key: unknown, signature: unknown, data: unknown): Promise<boolean> => {
    if (!currentMachine()) return real.verify(algorithm as never, key as never, signature as never, data as never)
    await world.wait('signature')
    return isSigned(KeyObject.from(key as never), Buffer.from(signature as Uint8Array), data as Uint8Array)
  }
  return { sign, verify }
}
