import { atDeadline } from '@latchkey/core/internal'
import { StoreError } from '@latchkey/store'
import type { RedisPort } from './redis-client.ts'
import type { RedisScript } from './redis-script.ts'
import { createServerClock } from './server-clock.ts'
import { createServerWatch } from './server-watch.ts'
import { createSilenceWatch } from './silence-watch.ts'

/** The commands of one store operation, which share a deadline. */
export interface Operation {
  /** Runs a script and returns its result. It runs at most once, and never after the deadline. */
  run(script: RedisScript, key: string, args: readonly (string | number)[]): Promise<readonly unknown[]>
  /** Resolves when the required number of replicas have the writes of this operation. */
  replicate(): Promise<void>
}

export interface ScriptRunner {
  begin(): Operation
  /** Returns the server's time as the replies so far tell it. */
  now(): number
  /** Rejects all pending and later operations. */
  close(): void
}

export interface ScriptRunnerOptions {
  readonly port: RedisPort
  readonly deadlineMs: number
  readonly silenceMs: number
  readonly waitReplicas: number
}

/** The first attempt learns the server's time; a second is needed if that clock was set in between. */
const tries = 3

export function createScriptRunner(options: ScriptRunnerOptions): ScriptRunner {
  const { port, deadlineMs, silenceMs, waitReplicas } = options
  const clock = createServerClock()
  const waiting = new Map<(error: StoreError) => void, () => void>()
  let losses = 0
  let isClosed = false

  const silence = createSilenceWatch({
    silenceMs,
    drop() {
      // What was sent may still be run until its own deadline, so no caller hears before it that it failed.
      for (const abandon of [...waiting.values()]) abandon()
      port.drop()
    },
  })

  const server = createServerWatch({ patienceMs: silenceMs, drop: port.drop })

  function failAll(reason: string): void {
    losses++
    for (const fail of [...waiting.keys()]) fail(unavailable(reason))
  }
  // A command that was sent may or may not have run, and a client may send it again by itself. Then the answer would be
  // that of a second attempt, so it is not awaited.
  const stopListening = port.onLost(() => {
    silence.lost()
    server.lost()
    failAll('the connection to Redis was lost')
  })

  function withinDeadline<T>(endsAt: number, call: () => Promise<T>): Promise<T> {
    if (isClosed) throw unavailable('the stores have been closed')
    return new Promise((resolve, reject) => {
      const settle = () => {
        timer.stop()
        waiting.delete(fail)
      }
      const fail = (error: StoreError) => {
        settle()
        reject(error)
      }
      const giveUp = () => {
        silence.gaveUp()
        fail(unavailable(`Redis did not answer within ${deadlineMs} ms`))
      }
      const timer = atDeadline(Math.max(0, endsAt - performance.now()), giveUp)
      let isAbandoned = false
      waiting.set(fail, () => {
        waiting.delete(fail)
        isAbandoned = true
      })
      const answered = silence.sent()
      call().then(
        (value) => {
          answered()
          server.served()
          // It may be that of a second attempt.
          if (isAbandoned) return
          settle()
          resolve(value)
        },
        (error: unknown) => {
          answered()
          server.refused(error)
          if (!isAbandoned) fail(unavailable('Redis failed', withoutCommand(error)))
        },
      )
    })
  }

  async function send(script: RedisScript, key: string, args: readonly string[]): Promise<unknown> {
    try {
      return await port.evalSha(await script.digest(), key, args)
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return port.evalText(script.text, key, args)
    }
  }

  async function run(
    endsAt: number,
    script: RedisScript,
    key: string,
    args: readonly (string | number)[],
  ): Promise<readonly unknown[]> {
    for (let attempt = 0; attempt < tries; attempt++) {
      const sentAt = performance.now()
      const sent = [clock.at(endsAt), ...args].map(String)
      const [state, stamp, ...answer] = readReply(await withinDeadline(endsAt, () => send(script, key, sent)))
      clock.learn(Number(stamp), sentAt, performance.now())
      if (state === 'done') return answer
    }
    throw unavailable('Redis answered too late')
  }

  return {
    begin() {
      const endsAt = performance.now() + deadlineMs
      const lossesBefore = losses
      return {
        run: (script, key, args) => run(endsAt, script, key, args),
        async replicate() {
          if (waitReplicas === 0) return
          const leftMs = Math.max(1, Math.floor(endsAt - performance.now()))
          const replicas = await withinDeadline(endsAt, () => port.wait(waitReplicas, leftMs))
          // The count is meaningless on another connection than the one that wrote.
          const isTold = losses === lossesBefore && replicas >= waitReplicas
          if (!isTold) throw unavailable(`fewer than ${waitReplicas} replicas have what was written`)
        },
      }
    },
    now: clock.now,
    close() {
      isClosed = true
      stopListening()
      silence.stop()
      server.lost()
      failAll('the stores have been closed')
    },
  }
}

function readReply(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw unavailable('Redis gave an answer that no script of ours gives')
  return reply
}

/** Redis has not run the script then, so sending its text does not repeat it. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

function unavailable(reason: string, cause?: unknown): StoreError {
  return new StoreError('STORE_UNAVAILABLE', reason, cause === undefined ? {} : { cause })
}

/** ioredis adds the command with its arguments to its errors, which must not be logged. */
function withoutCommand(error: unknown): unknown {
  if (error instanceof Error) Reflect.deleteProperty(error, 'command')
  return error
}
