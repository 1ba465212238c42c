import type { HashJob } from '../engines/engine.ts'
import type { EngineNames } from '../engines/engines.ts'

/** A message to a worker: a job to compute, or a question for the name of its engine. */
export type WorkerQuestion = { readonly job: HashJob } | { readonly engineFor: HashJob['kind'] }

export type WorkerAnswer = { readonly output: Uint8Array } | { readonly engine: string } | { readonly failure: string }

/** The messages to and from a worker: `ready` first, then one reply for each request. */
export type WorkerRequest = { readonly id: number; readonly question: WorkerQuestion }
export type WorkerReply = { readonly ready: true } | { readonly id: number; readonly answer: WorkerAnswer }

/** The start data of a worker. */
export type WorkerStart = { readonly latchkeyEngines: EngineNames }
