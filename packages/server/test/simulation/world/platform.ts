import {
  createHmac,
  createSecretKey,
  KeyObject,
  sign as signWith,
  timingSafeEqual,
  verify as verifyWith,
} from 'node:crypto'
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
}

/** Runs the work with keys that can be read again: signatures in a world are computed from their bytes. */
export async function withReadableKeys<T>(work: () => Promise<T>): Promise<T> {
  crypto.subtle.importKey = readably
  return work().finally(() => {
    crypto.subtle.importKey = real.importKey
  })
}

const readably: typeof real.importKey = (format: never, data: object, algorithm, _isExtractable, uses) => {
  const readable = 'ext' in data ? { ...data, ext: true } : data
  return real.importKey(format, readable as never, algorithm, true, uses)
}

/** Resolves when everything that can run without the schedule has run. */
export function quiescence(): Promise<void> {
  return new Promise((resolve) => process.nextTick(() => process.nextTick(resolve)))
}

/**
 * Replaces clock, timers, random bytes and signatures for all code that runs in a machine of the world; other code
 * keeps those of the platform. Returns what restores them.
 */
export function enterWorld(world: World, bytes: (length: number) => Uint8Array): () => void {
  const define = (owner: object, name: string, value: unknown): void =>
    void Object.defineProperty(owner, name, { value, configurable: true, writable: true })
  const timers = simulatedTimers(world)
  for (const [name, value] of Object.entries(timers)) define(globalThis, name, value)
  define(Date, 'now', () => {
    const machine = currentMachine()
    return machine ? world.now() + machine.skewMs : real.dateNow()
  })
  define(performance, 'now', () => (currentMachine() ? world.now() : real.performanceNow()))
  define(crypto, 'getRandomValues', (array: Uint8Array) => {
    if (!currentMachine()) return real.getRandomValues(array as Uint8Array<ArrayBuffer>)
    array.set(bytes(array.length))
    return array
  })
  const signatures = simulatedSignatures(world)
  define(crypto.subtle, 'sign', signatures.sign)
  define(crypto.subtle, 'verify', signatures.verify)
  define(crypto.subtle, 'generateKey', async (...given: Parameters<typeof real.generateKey>) =>
    currentMachine()
      ? createSecretKey(bytes(32)).toCryptoKey(given[0], given[1], given[2] as never)
      : real.generateKey(...given),
  )
  define(crypto.subtle, 'importKey', (...given: Parameters<typeof readably>) =>
    (currentMachine() ? readably : real.importKey)(...given),
  )
  return () => {
    for (const name of Object.keys(timers)) define(globalThis, name, Reflect.get(real, name))
    define(Date, 'now', real.dateNow)
    define(performance, 'now', real.performanceNow)
    define(crypto, 'getRandomValues', real.getRandomValues)
    define(crypto.subtle, 'sign', real.sign)
    define(crypto.subtle, 'verify', real.verify)
    define(crypto.subtle, 'generateKey', real.generateKey)
    define(crypto.subtle, 'importKey', real.importKey)
  }
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
