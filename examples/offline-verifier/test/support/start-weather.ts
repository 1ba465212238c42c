import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Starts the service as `pnpm start` does, in a process of its own, and returns its URL. It ends with the test. */
export async function startWeather(environment: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, ['--conditions=@latchkey/source', program], {
    env: { PATH: process.env.PATH, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  for await (const line of createInterface(child.stdout)) {
    const url = /^The weather is at (http:\S+) /.exec(line)?.[1]
    if (url) return url
  }
  throw new Error('the service ended before it was ready')
}
