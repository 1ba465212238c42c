import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../build-house.ts'

interface Created {
  readonly folder: string
  /** What the command printed. */
  readonly printed: string
  readonly manifest: Readonly<Record<string, unknown>>
  read(file: string): string
  has(file: string): boolean
}

/** Runs the command where `process.versions.node` is this version. */
function create(version: string, ...args: readonly string[]): Created {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-created-'))
  const tarballs = join(folder, 'tarballs')
  mkdirSync(tarballs)
  writeFileSync(join(tarballs, 'latchkey-server-0.0.0.tgz'), '')
  const versions = `{ value: { ...process.versions, node: '${version}' } }`
  const preload = `data:text/javascript,Object.defineProperty(process, 'versions', ${versions})`
  const command = ['--import', preload, join(root, 'create/bin/create-latchkey.mjs'), 'notes', '--yes']
  const options = { cwd: folder, encoding: 'utf8' } as const
  const printed = execFileSync(process.execPath, [...command, '--tarballs', tarballs, ...args], options)
  const read = (file: string) => readFileSync(join(folder, 'notes', file), 'utf8')
  return {
    folder: join(folder, 'notes'),
    printed,
    manifest: JSON.parse(read('package.json')),
    read,
    has: (file) => existsSync(join(folder, 'notes', file)),
  }
}

/** Installs the packages of this workspace. */
function linkPackages(folder: string): void {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(root, 'packages'), join(folder, 'node_modules/@latchkey'), 'junction')
  symlinkSync(join(root, 'packages/server/node_modules/graphql'), join(folder, 'node_modules/graphql'), 'junction')
}

const runtime = { name: 'node', version: '>=22.18', onFail: 'error' }

describe('create-latchkey', () => {
  test.each(['18.20.8', '20.20.2', '22.17.1'])(
    'in Node.js %s adds Node.js 24 to the project, and prints why',
    (version) => {
      const { printed, manifest, read } = create(version)
      expect(manifest).toMatchObject({
        engines: { node: '>=22.18' },
        dependencies: { node: '^24.0.0' },
        allowScripts: { node: true },
      })
      expect(manifest).not.toHaveProperty('devEngines')
      expect(printed).toContain(`needs Node.js 22.18 or later, and this is ${version}: npm install adds Node.js 24`)
      const texts = [printed, read('README.md')]
      for (const text of texts) expect(text).toMatch(/^ *npm install --loglevel error$/m)
      expect(texts[1]).toContain('Node.js 24 is a dependency')
      expect(texts[1]).not.toMatch(/devEngines|EBADDEVENGINES|<!--/)
    },
  )

  test.each(['22.18.0', '24.21.0'])('in Node.js %s adds none, and lets npm refuse an older one', (version) => {
    const { printed, manifest, read } = create(version)
    expect(read('README.md')).toContain('npm refuses with `EBADDEVENGINES`')
    expect(read('README.md')).toMatch(/^npm install\nnpm test$/m)
    expect(read('README.md')).toMatch(/^npm install --loglevel error node@24$/m)
    expect(read('README.md')).not.toContain('<!--')
    expect(manifest).toMatchObject({ engines: { node: '>=22.18' }, devEngines: { runtime } })
    expect(manifest).not.toHaveProperty('dependencies.node')
    expect(manifest).not.toHaveProperty('allowScripts')
    expect(printed).not.toContain('Node.js')
  })

  test('prints all commands up to the page that opens, and the README has the same', () => {
    const { printed, read, has } = create('24.21.0', '--react', '--database', 'postgres')
    const steps = printed.split('Next:\n')[1]?.trimEnd().split('\n') ?? []
    const commands = steps.map((step) => step.replace(/ *#.*/, '').trim())
    expect(commands).toEqual([
      'cd notes',
      'npm install',
      'npm test',
      'docker compose up --detach',
      'npm run dev',
      'npm run dev:web',
    ])
    const [, block = ''] = /^```sh\n(.*?)^```/ms.exec(read('README.md')) ?? []
    expect(block.replaceAll(/ *#.*/g, '').trim().split('\n')).toEqual(commands.slice(1))
    expect(has('compose.yaml')).toBe(true)
  })

  test('with a page in React writes a service whose pages lead back to the page, and explains its baseUrl', () => {
    const { read } = create('24.21.0', '--react')
    const service = read('src/service.ts')
    expect(service).toContain("baseUrl: process.env.PUBLIC_URL ?? 'http://localhost:5173'")
    expect(service).toMatch(/^ {4}pages: \{ home: '\/', \.\.\./m)
    expect(read('README.md')).toContain('is another address')
    expect(create('24.21.0').read('src/service.ts')).not.toContain('home')
  })

  test('on SQLite without a page prints and writes nothing of PostgreSQL', () => {
    const { printed, read, has } = create('24.21.0')
    expect(printed).toMatch(/Next:\n {2}cd notes\n {2}npm install\n {2}npm test\n {2}npm run dev\n$/)
    expect(read('README.md')).not.toContain('docker')
    expect(has('compose.yaml')).toBe(false)
  })

  test('on SQLite closes all its connections when the service stops, so only the database file stays', () => {
    const { folder } = create('24.21.0')
    linkPackages(folder)
    const command = ['--conditions=@latchkey/source', join(root, 'packages/server/src/cli.ts'), 'migrate']
    const migrate = () => execFileSync(process.execPath, [...command, 'src/server.ts'], { cwd: folder })
    migrate()
    migrate() // only now the file has a write-ahead log when the notes open it
    expect(readdirSync(folder).filter((file) => file.startsWith('app.db'))).toEqual(['app.db'])
  })

  test.each([[], ['--react']])('the README names the command that checks the types: %j', (...args) => {
    const { manifest, read } = create('24.21.0', ...args)
    expect(manifest).toHaveProperty('scripts.types')
    expect(read('README.md')).toContain('`npm run types`')
  })
})
