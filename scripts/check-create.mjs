// Packs create-latchkey, creates projects with it and the packed packages, and uses them as a newcomer would.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { startPostgres } from '../packages/test-services/src/postgres-server.ts'
import { freePort } from './check-next.mjs'
import { packageManager, root } from './workspace.mjs'

const run = promisify(execFile)
const projects = [
  { name: 'plain', args: ['--database', 'sqlite'], scripts: ['test', 'types'] },
  { name: 'with-react', args: ['--database', 'postgres', '--react'], scripts: ['test', 'types', 'build:web'] },
]

/**
 * @param {string} folder an empty folder.
 * @param {string} tarballs the folder of the packed packages.
 * @returns {Promise<string[]>} the problems found.
 */
export async function checkCreate(folder, tarballs) {
  const command = await unpack(folder)
  const found = await Promise.all(
    projects.map((project) => checkProject(project, { command, project: join(folder, project.name), tarballs })),
  )
  return found.flat().map((problem) => `create-latchkey: ${problem}`)
}

/** Packs the command and returns the path of the unpacked one. */
async function unpack(folder) {
  mkdirSync(folder, { recursive: true })
  const options = { cwd: join(root, 'create'), maxBuffer: 1e8, shell: process.platform === 'win32' }
  await run('npx', ['-y', packageManager, 'pack', '--pack-destination', folder], options)
  const [tarball] = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
  await run('tar', ['-xzf', tarball], { cwd: folder })
  return join(folder, 'package/bin/create-latchkey.mjs')
}

async function checkProject({ name, args, scripts }, { command, project, tarballs }) {
  const options = { cwd: project, maxBuffer: 1e8, shell: process.platform === 'win32' }
  await run(process.execPath, [command, project, ...args, '--yes', '--tarballs', tarballs])
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], options)
  const problems = []
  for (const script of scripts) {
    try {
      await run('npm', ['run', script], options)
    } catch (error) {
      problems.push(`${name}: npm run ${script}: ${`${error.stdout}${error.stderr}`.slice(-2000)}`)
    }
  }
  const served = name === 'plain' ? await serve(project) : await serveOnPostgres(project)
  return [...problems, ...served.map((problem) => `${name}: ${problem}`)]
}

async function serveOnPostgres(project) {
  const postgres = await startPostgres()
  if (postgres === null) return ['needs PostgreSQL, which is not installed']
  try {
    return await serve(project, { DATABASE_URL: postgres.url })
  } finally {
    await postgres.stop()
  }
}

/** Starts the service, requests notes without a session, and stops the service. */
async function serve(project, variables) {
  const file = join(project, 'node_modules/@latchkey/server/dist/cli.js')
  const env = { ...process.env, ...variables, PUBLIC_URL: `http://127.0.0.1:${await freePort()}` }
  const args = [file, 'serve', 'src/server.ts', '--migrate']
  const program = spawn(process.execPath, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(program, 'exit')
  const problems = []
  try {
    const address = await addressOf(program)
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ query: '{ notes { text } }' })
    const { status } = await fetch(address, { method: 'POST', headers, body })
    if (status !== 401) problems.push(`a visitor gets ${status} for the notes, not 401`)
  } finally {
    program.kill('SIGTERM')
    const [code] = await exited
    if (code !== 0) problems.push(`the service exits with ${code} on SIGTERM, not with 0`)
  }
  return problems
}

async function addressOf(program) {
  for await (const line of createInterface({ input: program.stdout })) {
    const [address] = /http:\S+/.exec(line) ?? []
    if (address === undefined) continue
    program.stdout.resume()
    return address
  }
  throw new Error('the service of create-latchkey did not start')
}
