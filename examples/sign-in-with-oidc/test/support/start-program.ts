import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Returns an empty folder that goes with the test. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sign-in-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Returns a port that was free just now. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port was bound')
  return address.port
}

/** Starts a program of Node.js in a folder, until the test is over, and returns all that it has printed once it prints a line that matches. */
export async function startProgram(
  command: readonly string[],
  given: { readonly folder: string; readonly env: Readonly<Record<string, string>>; readonly ready: RegExp },
): Promise<string> {
  const child = spawn(process.execPath, command, { cwd: given.folder, env: { PATH: process.env.PATH, ...given.env } })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let printed = ''
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ready = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk
      if (given.ready.test(printed)) resolve(printed)
    })
  })
  const failed = ended.then(() => {
    throw new Error(`the program ended before it was ready: ${errors}`)
  })
  return Promise.race([ready, failed])
}
