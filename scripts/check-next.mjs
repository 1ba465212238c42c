// Builds examples/nextjs with the packed client, starts it in front of the quickstart, and visits both as a browser would.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { packageManager, readJson, root } from './workspace.mjs'

const run = promisify(execFile)

/**
 * @param folder an empty folder.
 * @param tarball the packed client.
 * @returns {Promise<string[]>} the problems found.
 */
export async function checkNext(folder, tarball) {
  const example = join(root, 'examples/nextjs')
  cpSync(example, folder, { recursive: true, filter: (path) => !/[\\/](node_modules|\.next)$/.test(path) })
  const strays = strayBlocks(example)
  if (strays.length > 0) return strays
  const manifest = readJson(join(folder, 'package.json'))
  manifest.dependencies['@latchkey/client'] = `file:${tarball}`
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const options = { cwd: folder, maxBuffer: 1e8, shell: process.platform === 'win32' }
  await run('npx', ['-y', packageManager, 'install', '--ignore-workspace', '--no-frozen-lockfile'], options)
  const next = join(folder, 'node_modules/next/dist/bin/next')
  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const programs = []
  try {
    const service = await startQuickstart(origin, programs)
    await run(process.execPath, [next, 'build'], { cwd: folder, maxBuffer: 1e8, env: { ...env, SERVICE_URL: service } })
    const args = [next, 'start', '--hostname', '127.0.0.1', '--port', String(port)]
    await start(args, { cwd: folder, env: { ...env, SERVICE_URL: service }, programs, ready: /Ready in/ })
    return await visit(origin)
  } finally {
    await Promise.all(programs.map(end))
  }
}

/** The guide shows files of the example, and no others. */
function strayBlocks(example) {
  const guide = readFileSync(join(root, 'docs/guides/nextjs.md'), 'utf8')
  const blocks = [...guide.matchAll(/^```(?:typescript|jsx)\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)]
  const strays = blocks.filter(([, path, code]) => readFileSync(join(example, path), 'utf8') !== code)
  return strays.map(([, path]) => `docs/guides/nextjs.md: examples/nextjs/${path} has other code`)
}

/** Starts the quickstart and returns its address. `publicUrl` is the address of the application in front of it. */
async function startQuickstart(publicUrl, programs) {
  const args = ['--conditions=@latchkey/source', join(root, 'examples/quickstart/src/main.ts')]
  const port = await freePort()
  const env = {
    ...process.env,
    NODE_ENV: 'development',
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    TRUSTED_PROXIES: '127.0.0.1',
    ALLOWED_HOSTS: `127.0.0.1:${port}`,
    DATA_DIR: ':memory:',
  }
  await start(args, { cwd: root, env, programs, ready: /listening on/ })
  return `http://127.0.0.1:${port}`
}

async function start(args, { cwd, env, programs, ready }) {
  const program = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  programs.push(program)
  let printed = ''
  program.stderr.on('data', (data) => (printed += data))
  for await (const line of createInterface({ input: program.stdout })) {
    printed += `${line}\n`
    if (!ready.test(line)) continue
    program.stdout.resume()
    return
  }
  throw new Error(`${args.join(' ')} ended:\n${printed.slice(-2000)}`)
}

async function end(program) {
  if (program.exitCode !== null || program.signalCode !== null) return
  program.kill('SIGTERM')
  await once(program, 'exit')
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function visit(origin) {
  const problems = []
  const expect = (says, holds) => holds || problems.push(`examples/nextjs: ${says}`)
  const visitor = createVisitor(origin)

  const first = await visitor.page('/')
  expect('a visitor reads articles', first.includes('<strong>') && first.includes('Sign in'))
  expect('a visitor gets no form', !first.includes('<form'))
  expect('the sign-in page is served', (await visitor.page('/sign-in')).includes('name="password"'))

  await visitor.signIn('author@example.com')
  const home = await visitor.page('/')
  expect(
    'the server renders who has signed in',
    home.includes('Avery Author') || /href="\/account"[^>]*>[^<]+</.test(home),
  )
  expect('an author gets a form', home.includes('<form'))
  const saved = await visitor.submit(home, { title: 'Otters at dawn', body: 'They read.' })
  expect('the action writes an article', saved.text.includes('Saved “') && saved.text.includes('Otters at dawn'))
  const refused = await visitor.submit(home, { title: '', body: 'They read.' })
  expect('the action shows why an article is refused', !refused.text.includes('Saved “'))
  const forged = await visitor.submit(home, { title: 'Forged', body: 'x' }, { origin: 'https://evil.example' })
  expect('the action of another site writes nothing', !forged.text.includes('Saved “'))

  await visitor.graphql('mutation { signOut }')
  const late = await visitor.submit(home, { title: 'Late', body: 'x' })
  expect('a visitor whose session has ended is led to sign in', /^\/sign-in\?/.test(late.location ?? ''))
  return problems
}

/** A browser without JavaScript: it keeps cookies and submits forms. */
function createVisitor(origin) {
  const jar = new Map()
  let csrf = ''
  async function ask(path, { headers = {}, ...init } = {}) {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const all = { 'sec-fetch-site': 'same-origin', origin, ...(cookie && { cookie }), ...headers }
    const response = await fetch(`${origin}${path}`, { redirect: 'manual', ...init, headers: all })
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0].split(/=(.*)/)
      if (value) jar.set(name, value)
      else jar.delete(name)
    }
    return response
  }
  async function graphql(query, variables) {
    const headers = { 'content-type': 'application/json', ...(csrf && { 'x-csrf-token': csrf }) }
    const response = await ask('/graphql', { method: 'POST', headers, body: JSON.stringify({ query, variables }) })
    csrf = response.headers.get('x-csrf-token') ?? csrf
    return response.json()
  }
  return {
    graphql,
    page: async (path) => (await ask(path)).text(),
    signIn: (email) =>
      graphql('mutation ($input: SignInInput!) { signIn(input: $input) { status } }', {
        input: { email, password: 'otters read quietly at dawn' },
      }),
    async submit(page, fields, headers = {}) {
      const body = new FormData()
      for (const [, name, value = ''] of page.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g))
        body.set(name, value.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
      for (const [name, value] of Object.entries(fields)) body.set(name, value)
      const response = await ask('/', { method: 'POST', body, headers })
      return { location: response.headers.get('location'), text: await response.text() }
    },
  }
}
