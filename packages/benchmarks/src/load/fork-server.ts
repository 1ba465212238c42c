import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own. */
export interface ForkedServer<Hello> {
  readonly child: ChildProcess
  /** What it said when it was ready. */
  readonly hello: Hello
}

/**
 * Starts a program of this package, such as `service-server.ts`, and waits for its first message.
 *
 * @param program where it is, as `new URL('service-server.ts', import.meta.url)`.
 */
export async function forkServer<Hello>(program: URL, words: readonly string[]): Promise<ForkedServer<Hello>> {
  const more = process.env.BENCH_NODE_ARGS?.split(' ') ?? []
  const child = fork(fileURLToPath(program), words, {
    execArgv: ['--conditions=@latchkey/source', '--no-warnings', ...more],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  return { child, hello: await messageOf<Hello>(child) }
}

/** Ends a server that ends when its parent leaves, and waits until it has: before the database that it uses. */
export async function endServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  if (child.connected) child.disconnect()
  await ended
}

/** The next message of a process. Rejects when it ends instead. */
export async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${child.spawnargs.slice(-2)} ended`)))
  ended.catch(() => {})
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message as Message
}
