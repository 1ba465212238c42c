import type { HashJob, PasswordEngine } from './engine.ts'
import { loadHashWasmEngine } from './hash-wasm-engine.ts'
import { loadNobleEngine } from './noble-engine.ts'
import { loadNodeRsArgon2Engine, loadNodeRsBcryptEngine } from './node-rs-engines.ts'
import { createNodeEngine, createWebCryptoEngine } from './runtime-engines.ts'

/** The engines that the package can load for each kind of job. */
export interface KnownEngines {
  argon2id: '@node-rs/argon2' | 'node:crypto' | 'hash-wasm' | '@noble/hashes'
  argon2i: '@node-rs/argon2' | 'node:crypto' | 'hash-wasm' | '@noble/hashes'
  scrypt: 'node:crypto' | 'hash-wasm' | '@noble/hashes'
  bcrypt: '@node-rs/bcrypt' | 'hash-wasm'
  pbkdf2: 'node:crypto' | 'web-crypto'
}

/**
 * The engines of each kind, best first: those that the application has installed, the runtime's own, WebAssembly if it
 * may be compiled, and JavaScript, which runs everywhere.
 */
export const knownEngines: { readonly [Kind in HashJob['kind']]: readonly KnownEngines[Kind][] } = {
  argon2id: ['@node-rs/argon2', 'node:crypto', 'hash-wasm', '@noble/hashes'],
  argon2i: ['@node-rs/argon2', 'node:crypto', 'hash-wasm', '@noble/hashes'],
  scrypt: ['node:crypto', 'hash-wasm', '@noble/hashes'],
  bcrypt: ['@node-rs/bcrypt', 'hash-wasm'],
  pbkdf2: ['node:crypto', 'web-crypto'],
}

/** All kinds of job. */
export const hashKinds: readonly HashJob['kind'][] = ['argon2id', 'argon2i', 'scrypt', 'bcrypt', 'pbkdf2']

/** The name of any of them. */
export type KnownEngine = KnownEngines[HashJob['kind']]

/** The engine for each kind of job. Omitted kinds are chosen automatically. */
export type EngineNames = { readonly [Kind in HashJob['kind']]?: KnownEngines[Kind] }

/** Engines, each loaded when the first job for it comes. */
export interface Engines {
  run(job: HashJob): Promise<Uint8Array>
  /** Returns the engine for a kind: the one that was named, else the first of the known ones that this runtime has. */
  choose(kind: HashJob['kind']): Promise<PasswordEngine>
  /** Returns the name of that engine, or `none` if this runtime has no engine for a kind and none was named. */
  nameOf(kind: HashJob['kind']): Promise<string>
}

/** @param blocking whether native engines compute on the calling thread (a worker) or in libuv's pool. */
export function createEngines(named: EngineNames, blocking: boolean): Engines {
  const loaded = new Map<KnownEngine, Promise<PasswordEngine | null>>()
  const chosen = new Map<HashJob['kind'], Promise<PasswordEngine>>()
  const load = (name: KnownEngine): Promise<PasswordEngine | null> => {
    const engine = loaded.get(name) ?? loadEngine(name, blocking)
    loaded.set(name, engine)
    return engine
  }
  const choose = (kind: HashJob['kind']): Promise<PasswordEngine> => {
    const name = named[kind]
    const engine = chosen.get(kind) ?? chooseEngine(kind, name ? [name] : knownEngines[kind], load)
    chosen.set(kind, engine)
    return engine
  }
  return {
    choose,
    run: async (job) => (await choose(job.kind)).run(job),
    nameOf: (kind) => choose(kind).then(nameOf, (error: unknown) => (named[kind] ? Promise.reject(error) : 'none')),
  }
}

const nameOf = ({ name }: PasswordEngine): string => name

async function chooseEngine(
  kind: HashJob['kind'],
  names: readonly KnownEngine[],
  load: (name: KnownEngine) => Promise<PasswordEngine | null>,
): Promise<PasswordEngine> {
  for (const name of names) {
    const engine = await load(name)
    if (engine?.kinds.includes(kind)) return engine
  }
  throw new Error(`no engine for ${kind}: install one, or leave "engines" out; not found: ${names.join(', ')}`)
}

/**
 * Returns the engine, or `null` if it cannot be loaded, because this runtime has no file system or no WebAssembly at
 * run time.
 */
async function loadEngine(name: KnownEngine, blocking: boolean): Promise<PasswordEngine | null> {
  try {
    return await loaders[name](blocking)
  } catch {
    return null
  }
}

const loaders: Record<KnownEngine, (blocking: boolean) => Promise<PasswordEngine | null>> = {
  '@node-rs/argon2': loadNodeRsArgon2Engine,
  '@node-rs/bcrypt': loadNodeRsBcryptEngine,
  'node:crypto': async (blocking) => createNodeEngine(blocking),
  'hash-wasm': loadHashWasmEngine,
  '@noble/hashes': loadNobleEngine,
  'web-crypto': async () => createWebCryptoEngine(),
}
