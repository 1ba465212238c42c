import { createHmac, createSecretKey, KeyObject, timingSafeEqual } from 'node:crypto'
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
}

/** Resolves when everything that can run without the schedule has run. */
export function quiescence(): Promise<void> {
  return new Promise((resolve) => void real.setImmediate(resolve))
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
  return () => {
    for (const name of Object.keys(timers)) define(globalThis, name, Reflect.get(real, name))
    define(Date, 'now', real.dateNow)
    define(performance, 'now', real.performanceNow)
    define(crypto, 'getRandomValues', real.getRandomValues)
    define(crypto.subtle, 'sign', real.sign)
    define(crypto.subtle, 'verify', real.verify)
    define(crypto.subtle, 'generateKey', real.generateKey)
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

/** HMAC in the turn in which the schedule picks it; threads would answer in an order of the machine. */
function simulatedSignatures(world: World) {
  const hmac = (key: unknown, data: unknown): Buffer =>
    createHmac('sha256', KeyObject.from(key as never))
      .update(data as Uint8Array)
      .digest()
  const sign = async (algorithm: unknown, key: unknown, data: unknown): Promise<ArrayBuffer> => {
    if (!currentMachine()) return real.sign(algorithm as never, key as never, data as never)
    await world.wait('signature')
    const code = hmac(key, data)
    return code.buffer.slice(code.byteOffset, code.byteOffset + code.length) as ArrayBuffer
  }
  const verify = async (algorithm: unknown, key: unknown, signature: unknown, data: unknown): Promise<boolean> => {
    if (!currentMachine()) return real.verify(algorithm as never, key as never, signature as never, data as never)
    await world.wait('signature')
    const code = hmac(key, data)
    const given = Buffer.from(signature as Uint8Array)
    return code.length === given.length && timingSafeEqual(code, given)
  }
  return { sign, verify }
}
