import type { HashJob } from '../engines/engine.ts'
import type { EngineNames } from '../engines/engines.ts'

/** What a worker is asked: to compute, or which engine it would use. */
export type WorkerQuestion = { readonly job: HashJob } | { readonly engineFor: HashJob['kind'] }

export type WorkerAnswer = { readonly output: Uint8Array } | { readonly engine: string } | { readonly failure: string }

/** The messages to and from a worker: `ready` first, then one reply for each request. */
export type WorkerRequest = { readonly id: number; readonly question: WorkerQuestion }
export type WorkerReply = { readonly ready: true } | { readonly id: number; readonly answer: WorkerAnswer }

/** What a worker is started with. */
export type WorkerStart = { readonly latchkeyEngines: EngineNames }
