import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const docs = new URL('../../../../docs/guides/', import.meta.url)
const packages = fileURLToPath(new URL('../../../../packages', import.meta.url))
const express = dirname(fileURLToPath(import.meta.resolve('express')))

/** The people of the application, who all have one password. */
export const names = ['ada', 'ben', 'cleo', 'dan', 'eve', 'finn', 'gil', 'hal', 'ida', 'kim', 'lea', 'jo'] as const
export const password = 'seven kettles hum'
export const emailOf = (name: string) => `${name}@example.com`

/** Returns the blocks of a guide in one language. */
export function blocksOf(guide: string, language: 'ts' | 'diff'): readonly string[] {
  const text = readFileSync(new URL(guide, docs), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code = '']) => code)
}

/** Returns the code with one place replaced, which has to be there. */
export function replace(code: string, place: string, by: string): string {
  if (code.split(place).length !== 2) throw new Error(`the guide has not once: ${place}`)
  return code.replace(place, () => by)
}

/** Returns the code with what a `diff` of a guide changes; an empty line is between two places. */
export function apply(code: string, diff: string): string {
  return diff.split('\n\n').reduce((changed, place) => {
    const lines = place.split('\n')
    const side = (sign: '-' | '+') => lines.filter((line) => line.startsWith(sign) || line.startsWith(' '))
    const textOf = (sign: '-' | '+') =>
      side(sign)
        .map((line) => line.slice(1))
        .join('\n')
    return replace(changed, textOf('-'), textOf('+'))
  }, code)
}

export interface Started {
  readonly origin: string
  /** All that the program has printed. */
  printed(): string
  /** Ends it, and resolves when it has ended. */
  stop(): Promise<void>
}

/** Starts `app.ts` of the guide about forms, changed for these tests. */
export async function startApp(change: (app: string) => Readonly<Record<string, string>>): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-guide-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(packages, join(folder, 'node_modules/@latchkey'), 'junction')
  symlinkSync(express, join(folder, 'node_modules/express'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const port = await findPort()
  for (const [name, text] of Object.entries(change(withPeople(port)))) writeFileSync(join(folder, name), text)

  const env = { PATH: process.env.PATH, ORIGIN: `http://127.0.0.1:${port}` }
  const args = ['--no-warnings', '--conditions=@latchkey/source', 'app.ts']
  const child = spawn(process.execPath, args, { cwd: folder, env })
  const ended = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true })
  }
  let printed = ''
  child.stderr.on('data', (chunk) => {
    printed += chunk
  })
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk
      if (printed.includes('ready')) resolve()
    })
  })
  const failed = ended.then(() => {
    throw new Error(`the program ended before it was ready: ${printed}`)
  })
  await Promise.race([ready, failed])
  return { origin: env.ORIGIN, printed: () => printed, stop }
}

/** The application with more people, behind a proxy that names the address of each. */
function withPeople(port: number): string {
  const [code = ''] = blocksOf('sign-in-forms-in-express.md', 'ts')
  const one = "[['ada@example.com', { id: 'acc_1', passwordHash: await hashPassword('seven kettles hum') }]]"
  const hashed = `const passwordHash = await hashPassword('${password}')`
  const all = `${JSON.stringify(names)}.map((name) => [name + '@example.com', { id: name, passwordHash }])`
  let app = replace(code, `const users = new Map(${one})`, `${hashed}\nconst users = new Map(${all})`)
  app = replace(app, 'createAddressReader()', "createAddressReader({ trustedProxies: ['127.0.0.1'] })")
  return replace(app, "app.listen(3000, '127.0.0.1')", `app.listen(${port}, '127.0.0.1', () => console.log('ready'))`)
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port was bound')
  return address.port
}
