import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A server in a separate process. */
export interface ForkedServer<Hello> {
  readonly child: ChildProcess
  /** Its first message. */
  readonly hello: Hello
}

/**
 * Starts a program of this package, for example `service-server.ts`, and waits for its first message.
 *
 * @param program its file, as `new URL('service-server.ts', import.meta.url)`.
 */
export async function forkServer<Hello>(program: URL, words: readonly string[]): Promise<ForkedServer<Hello>> {
  const more = process.env.BENCH_NODE_ARGS?.split(' ') ?? []
  const child = fork(fileURLToPath(program), words, {
    execArgv: ['--conditions=@latchkey/source', '--no-warnings', ...more],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  return { child, hello: await messageOf<Hello>(child) }
}

/** Disconnects a server, which then exits, and waits for its exit, so that its database can be stopped. */
export async function endServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  if (child.connected) child.disconnect()
  await ended
}

/** Returns the next message of a process. Rejects if it exits instead. */
export async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${child.spawnargs.slice(-2)} ended`)))
  ended.catch(() => {})
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message as Message
}
