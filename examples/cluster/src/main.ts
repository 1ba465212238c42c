import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { unknownAttempt } from '@latchkey/accounts'
import { createService } from './service.ts'
import { settings } from './settings.ts'

const program = fileURLToPath(new URL('process.ts', import.meta.url))
const children = new Set<ChildProcess>()
let isClosing = false

/** Creates the tables and an account to try. */
async function prepare(): Promise<void> {
  const service = createService({ ...settings, deadlineMs: 10_000 }) // no visitor waits
  try {
    await service.open({ migrate: true })
    const [email, password] = ['ada@example.com', 'otters read quietly at dawn']
    const accounts = await service.accounts()
    await accounts.create({ email, name: 'Ada', roles: ['MEMBER'], password, attempt: unknownAttempt })
    console.log(`${email} has the password “${password}”.`)
  } finally {
    await service.close()
  }
}

/** Keeps a process running: a second after its exit another process starts. Resolves when a process listens. */
function keepRunning(port: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const start = () => {
    if (isClosing) return
    const child = fork(program, { env: { ...process.env, PORT: port } })
    children.add(child)
    child.once('message', () => resolve())
    child.once('exit', (code, signal) => {
      children.delete(child)
      if (isClosing) return
      console.error(`The process at port ${port} exited (${signal ?? code}) and starts again.`)
      setTimeout(start, 1000)
    })
  }
  start()
  return promise
}

/** Lets each process finish its requests, after which this process exits too. */
function close(): void {
  isClosing = true
  for (const child of children) if (child.connected) child.disconnect()
}

await prepare()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, close)
await Promise.all(settings.ports.map(keepRunning))
console.log(`Listening at ${settings.ports.map((port) => `http://127.0.0.1:${port}`).join(', ')}`)
console.log(`Behind nginx (npx pnpm run nginx): ${settings.publicUrl}`)
