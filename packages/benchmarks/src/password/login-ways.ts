import { argon2, timingSafeEqual } from 'node:crypto'
import { createPasswordHasher } from '@latchkey/password'
import { argon2id } from 'hash-wasm'

/** A way of checking a password against `$argon2id$v=19$m=19456,t=2,p=1$…`. */
export interface LoginWay {
  check(password: string): Promise<boolean>
  close(): Promise<void>
}

const salt = new Uint8Array(16).fill(7)
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }
const password = 'otters read quietly at dawn'

/** Latchkey with each engine, and common code without it. */
export const loginWays: Readonly<Record<string, () => Promise<LoginWay>>> = {
  'latchkey, node:crypto': () => useLatchkey('node:crypto'),
  'latchkey, @node-rs/argon2': () => useLatchkey('@node-rs/argon2'),
  'latchkey, hash-wasm': () => useLatchkey('hash-wasm'),
  'crypto.argon2': useLibuv,
  'hash-wasm, main thread': useMainThread,
}

export const rightPassword: string = password

/** The reference for the others: Argon2id in libuv's pool, as Node's documentation shows it. */
export const peer = 'crypto.argon2'

/** The peer, and the ways whose names contain a piece of text. */
export function chooseLoginWays(piece = ''): string[] {
  return Object.keys(loginWays).filter((name) => name === peer || name.includes(piece))
}

async function useLatchkey(engine: 'node:crypto' | '@node-rs/argon2' | 'hash-wasm'): Promise<LoginWay> {
  const hasher = createPasswordHasher({ engines: { argon2id: engine } })
  const stored = await hasher.hash(password)
  return { check: async (shown) => (await hasher.verify(shown, stored)).ok, close: () => hasher.close() }
}

async function useLibuv(): Promise<LoginWay> {
  const hash = (message: string): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      const done = (error: Error | null, output: Uint8Array): void => (error ? reject(error) : resolve(output))
      argon2('argon2id', { message, nonce: salt, ...cost }, done)
    })
  const stored = await hash(password)
  return { check: async (shown) => timingSafeEqual(await hash(shown), stored), close: async () => {} }
}

async function useMainThread(): Promise<LoginWay> {
  const hash = (message: string): Promise<Uint8Array> => {
    const parameters = { parallelism: 1, iterations: 2, memorySize: 19_456, hashLength: 32 }
    return argon2id({ password: message, salt, ...parameters, outputType: 'binary' })
  }
  const stored = await hash(password)
  return { check: async (shown) => timingSafeEqual(await hash(shown), stored), close: async () => {} }
}
