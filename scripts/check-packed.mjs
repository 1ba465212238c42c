// Checks the packages as they are published: packs each one, checks the tarballs, and uses them in a new project.
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join, posix, relative } from 'node:path'
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util'
import { codeBlocks } from '../packages/conventions/src/documents/code-blocks.ts'
import { runModule, withFreePort } from '../packages/conventions/src/documents/run-examples.ts'
import { checkCreate } from './check-create.mjs'
import { checkNext } from './check-next.mjs'
import { checkRunners, runnerPackages } from './check-runners.mjs'
import { packageManager, publicPackages, readJson, root } from './workspace.mjs'

const help = `usage: node scripts/check-packed.mjs [--keep]

Packs every public package (build them first: npm run build), then
  - looks into each tarball: built files with their maps and sources, README, LICENSE, nothing else;
    homepage, bugs and repository as a release sets them;
  - runs publint and attw on it;
  - installs all tarballs with npm in an empty project, imports, requires and
    type-checks every subpath export, and runs the first example of each README and the commands;
  - installs them with the oldest peers that are tested, and imports, requires and type-checks every
    subpath export;
  - does the same without the packages that are optional peers of others;
  - tries the test harness in Vitest, Jest, node:test and bun test;
  - builds examples/nextjs with the packed client, and visits it;
  - creates projects with create-latchkey, and runs their tests, type checks, builds and services.

  --keep   leave the temporary folder and print where it is
  --help   this text

Ends with 0 if every package passed, with 1 if not, with 2 if it was called wrongly.`

const run = promisify(execFile)

/** Entries that need an optional peer of their package, which other entries do not need. */
const entriesOnPeers = new Map([
  ['@latchkey/client/react', 'react'],
  ['@latchkey/server/smtp', 'nodemailer'],
])
const bin = join(root, 'node_modules/.bin')
const { keep } = readOptions()
const packages = publicPackages()
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-packed-')))
const problems = []

try {
  await checkAll()
} catch (error) {
  problems.push(describe(error))
} finally {
  if (keep) console.log(`kept: ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
}
for (const problem of problems) console.error(`✗ ${problem}`)
console.log(problems.length === 0 ? `${packages.length} packages passed` : `${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1

async function checkAll() {
  const unbuilt = packages.filter((one) => !existsSync(join(one.folder, 'dist/index.js')))
  if (unbuilt.length > 0) throw new Error(`not built: ${unbuilt.map(({ name }) => name).join(', ')} (npm run build)`)
  const tarballs = await pack()
  for (const one of packages) {
    const tarball = tarballs.get(one.name)
    const before = problems.length
    await checkContents(one, tarball)
    await checkWithTools(one, tarball)
    if (problems.length === before) console.log(`✓ ${one.name}`)
  }
  // Two at a time: each waits for the registry half of the time.
  const halves = [checkInstalledPackages(tarballs), checkUses(tarballs)]
  for (const { status, reason } of await Promise.allSettled(halves)) {
    if (status === 'rejected') problems.push(describe(reason))
  }
}

async function checkInstalledPackages(tarballs) {
  await checkInstalled([...tarballs.values()])
  await checkOldestPeers([...tarballs.values()])
  await checkWithoutOptionalPeers(tarballs)
}

async function checkUses(tarballs) {
  await checkInRunners([...tarballs.values()])
  await checkInNext(tarballs)
  await checkCreated()
}

/** Packs all packages and returns their tarballs by name. */
async function pack() {
  const target = join(folder, 'tarballs')
  mkdirSync(target)
  const workspace = copyWorkspace()
  const env = { ...process.env, GITHUB_SERVER_URL: 'https://example.com', GITHUB_REPOSITORY: 'owner/name' }
  await run(process.execPath, [join(root, 'scripts/set-repository.mjs'), '--root', workspace], { env })
  const only = packages.flatMap(({ name }) => ['--filter', name])
  const args = ['-y', packageManager, '--recursive', ...only, 'pack', '--pack-destination', target]
  await run('npx', args, { cwd: workspace, maxBuffer: 1e8, shell: process.platform === 'win32' })
  const files = readdirSync(target)
  console.log(`packed ${files.length} packages`)
  const named = packages.map(({ name, manifest }) => {
    const file = `${name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`
    if (!files.includes(file)) throw new Error(`${name}: no tarball ${file}`)
    return [name, join(target, file)]
  })
  return new Map(named)
}

/** Copies the packages to a folder, in which their package.json is changed as for a release. */
function copyWorkspace() {
  const workspace = join(folder, 'workspace')
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'LICENSE']) cpSync(join(root, file), join(workspace, file))
  for (const one of packages) {
    const copy = join(workspace, relative(root, one.folder))
    const linked = join(one.folder, 'node_modules')
    cpSync(one.folder, copy, { recursive: true, filter: (path) => path !== linked })
    // pnpm reads the version for `workspace:*` there.
    symlinkSync(linked, join(copy, 'node_modules'), 'junction')
  }
  return workspace
}

async function checkContents({ name, folder: source, manifest }, tarball) {
  const inside = join(folder, 'inside', name)
  mkdirSync(inside, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', inside, '--strip-components=1'])
  const files = readdirSync(inside, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(inside.length + 1)
        .replaceAll('\\', '/'),
    )
  const has = (path) => files.includes(path)
  const fail = (text) => problems.push(`${name}: ${text}`)

  const chosen = Object.values(manifest.imports ?? {}).flatMap(Object.values)
  const targets = [...Object.values(manifest.exports), ...chosen].flatMap((target) =>
    Object.values(typeof target === 'string' ? [target] : target),
  )
  const commands = Object.values(manifest.bin ?? {})
  const needed = [
    'package.json',
    'README.md',
    'LICENSE',
    ...[...targets, ...commands].map((path) => posix.normalize(path)),
  ]
  for (const path of needed.filter((path) => !has(path))) fail(`has no ${path}`)

  const given =
    /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|src\/.+\.ts|dist\/(.+\.(js|d\.ts)(\.map)?|THIRD-PARTY-LICENSES\.txt))$/
  const extra = (manifest.files ?? []).slice(3).map((path) => posix.normalize(path))
  const strangers = files.filter((path) => !given.test(path) && !extra.some((other) => path.startsWith(other)))
  for (const path of strangers) fail(`contains ${path}`)
  for (const path of files.filter((path) => /\.(test|test-d|bench)\.|^(test|bench)\//.test(path)))
    fail(`contains the test ${path}`)

  for (const path of files.filter((path) => path.startsWith('dist/') && path.endsWith('.js') && !has(`${path}.map`))) {
    fail(`${path} has no source map`)
  }
  for (const path of files.filter((path) => path.endsWith('.map'))) {
    // Sources of bundled packages are part of the map.
    const own = readJson(join(inside, path)).sources.filter((source) => !source.includes('/node_modules/'))
    const lost = own.find((source) => !has(posix.join(posix.dirname(path), source)))
    if (lost !== undefined) fail(`${path} leads to ${lost}, which is not there`)
  }
  for (const path of files.filter((path) => path.startsWith('dist/') && path.endsWith('.js'))) {
    const imported = readFileSync(join(inside, path), 'utf8').matchAll(/^(?:import|export)\b.*?from ["']([^"']+)["']/gm)
    const bare = [...imported].find(([, name]) => builtinModules.includes(name))
    if (bare) fail(`${path} imports ${bare[1]} without node:`)
  }
  const published = readJson(join(inside, 'package.json'))
  checkBundled(manifest.bundled ?? [], published, join(inside, 'dist'), fail)
  checkAddresses(published, posix.join('packages', basename(source)), fail)
  if (/"(workspace|catalog):/.test(JSON.stringify(published)))
    fail('depends on a version that only this workspace knows')
}

/** A bundled package is named with its licence, is not a dependency, and is imported by no file of the package. */
function checkBundled(bundled, published, dist, fail) {
  const licences = bundled.length > 0 ? readFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8') : ''
  const files = readdirSync(dist, { recursive: true }).filter((path) => /\.(js|d\.ts)$/.test(path))
  for (const name of bundled) {
    if (!licences.includes(`${name} `)) fail(`bundles ${name} without its licence`)
    if (published.dependencies?.[name]) fail(`bundles ${name} and depends on it`)
    const importing = new RegExp(`(from|import) ["']${name}["'/]`)
    const left = files.filter((path) => path.endsWith('.js') && importing.test(readFileSync(join(dist, path), 'utf8')))
    for (const path of left) fail(`${path} imports ${name}, which is bundled`)
  }
}

/** The addresses that the registry shows for a package: a release sets them from the address of the repository. */
function checkAddresses({ homepage, bugs, repository }, directory, fail) {
  const address = 'https://example.com/owner/name'
  const expected = {
    homepage: `${address}/tree/HEAD/${directory}#readme`,
    bugs: { url: `${address}/issues` },
    repository: { type: 'git', url: `git+${address}.git`, directory },
  }
  for (const [field, value] of Object.entries({ homepage, bugs, repository })) {
    if (!isDeepStrictEqual(value, expected[field])) fail(`${field} is ${JSON.stringify(value)}`)
  }
}

async function checkWithTools({ name }, tarball) {
  await attempt(`${name}: publint`, join(bin, 'publint'), ['run', tarball, '--strict'])
  // `require` of an ES module works in every Node.js that the packages support; TypeScript asks for `node20` to know it.
  const esm = ['--ignore-rules', 'cjs-resolves-to-esm']
  await attempt(`${name}: attw`, join(bin, 'attw'), [tarball, '--profile', 'strict', ...esm, '--no-color'])
}

/** The foreign packages of the install lines of the READMEs, in the versions that the packages are tested with. */
function namedInReadmes() {
  const named = packages.flatMap(({ folder, manifest }) => {
    const [, line = ''] = /^npm install (.*)$/m.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? []
    const tested = line.split(/\s+/).filter((name) => manifest.devDependencies?.[name]?.match(/^\d/))
    return tested.map((name) => `${name}@${manifest.devDependencies[name]}`)
  })
  return [...new Set(named)]
}

/** The peers of these entries, in the versions that the workspace tests. */
function peersOfEntries() {
  return [...entriesOnPeers].map(([entry, peer]) => {
    const owner = packages.find(({ name }) => entry.startsWith(`${name}/`))
    return `${peer}@${readJson(join(owner.folder, 'node_modules', peer, 'package.json')).version}`
  })
}

/** Checks the packages in a project outside this workspace, with the newest peers. */
async function checkInstalled(tarballs) {
  const project = await install('project', tarballs, [...peers(), ...namedInReadmes(), ...peersOfEntries()])
  const before = problems.length
  await checkExports(project)
  await checkExamples(project)
  await checkCommands(project)
  if (problems.length === before)
    console.log(`imported, required and type-checked every subpath export, ran ${packages.length} examples`)
}

/** Checks them with the oldest peers: a published type must not need a name that only a newer peer exports. */
async function checkOldestPeers(tarballs) {
  const oldest = oldestPeers()
  const project = await install('project-oldest', tarballs, [...oldest, ...namedInReadmes(), ...peersOfEntries()])
  const before = problems.length
  await checkExports(project)
  if (problems.length === before)
    console.log(`imported, required and type-checked every subpath export with ${oldest.join(', ')}`)
}

/** Checks them without packages that are optional peers: the others load neither these nor their peers. */
async function checkWithoutOptionalPeers(tarballs) {
  const optional = new Set(packages.flatMap(({ manifest }) => Object.keys(manifest.peerDependenciesMeta ?? {})))
  const left = packages.filter(({ name }) => !optional.has(name))
  const out = packages.filter(({ name }) => optional.has(name))
  const needed = left.map(({ name }) => tarballs.get(name))
  const project = await install('project-without', needed, peers(left))
  const before = problems.length
  const absent = out.flatMap(({ name, manifest }) => [name, ...Object.keys(manifest.peerDependencies ?? {})])
  for (const name of absent.filter((name) => existsSync(join(project, 'node_modules', name)))) {
    problems.push(`${name} is installed, although only optional parts need it`)
  }
  await checkExports(project, left, (specifier) => !entriesOnPeers.has(specifier))
  if (problems.length === before)
    console.log(`imported, required and type-checked every subpath export without ${absent.join(', ')}`)
}

/** Checks the test harness of the server in common test runners. */
async function checkInRunners(tarballs) {
  const project = await install('project-runners', tarballs, [...peers(), ...runnerPackages])
  const before = problems.length
  await checkRunners(project, attempt)
  if (problems.length === before) console.log(`tried the harness in node:test, ${runnerPackages.join(', ')}`)
}

async function checkInNext(tarballs) {
  const found = await checkNext(join(folder, 'nextjs'), tarballs.get('@latchkey/client'))
  problems.push(...found)
  if (found.length === 0) console.log('built and visited examples/nextjs')
}

async function checkCreated() {
  const found = await checkCreate(join(folder, 'created'), join(folder, 'tarballs'))
  problems.push(...found)
  if (found.length === 0)
    console.log('created projects with create-latchkey, tested, type-checked, built and served them')
}

/** Creates a project, installs the tarballs and the packages of `beside` in it, and returns its folder. */
async function install(name, tarballs, beside) {
  const project = join(folder, name)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const { devDependencies } = readJson(join(root, 'package.json'))
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm|pnpm)_/i.test(name)))
  const args = [
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--fetch-retries=5',
    ...tarballs,
    ...beside,
    `@types/node@${devDependencies['@types/node']}`,
  ]
  await run('npm', args, { cwd: project, env, maxBuffer: 1e8, shell: process.platform === 'win32' })
  console.log('installed them with npm in an empty project')
  return project
}

async function checkExports(project, installed = packages, isChecked = () => true) {
  const specifiers = installed.flatMap(({ name, manifest }) =>
    Object.keys(manifest.exports)
      .filter((path) => path !== './package.json')
      .map((path) => name + path.slice(1))
      .filter(isChecked),
  )
  const write = (path, text) => writeFileSync(join(project, path), text)
  write(
    'import.mjs',
    specifiers.map((one) => `console.log('${one}', Object.keys(await import('${one}')).join())`).join('\n'),
  )
  write(
    'require.cjs',
    specifiers.map((one) => `console.log('${one}', Object.keys(require('${one}')).join())`).join('\n'),
  )
  const imported = await attempt('import', process.execPath, ['--no-warnings', 'import.mjs'], project)
  const required = await attempt('require', process.execPath, ['--no-warnings', 'require.cjs'], project)
  if (imported !== '' && required !== '' && imported !== required)
    problems.push(`import and require differ:\n${imported}\n${required}`)
  await checkTypes(specifiers, write, project)
}

async function checkTypes(specifiers, write, project) {
  const lines = specifiers.map((one, index) => `export * as name${index} from '${one}'`)
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
  }
  const portable = lines.filter((line) => !/\/node'|@latchkey\/sql'/.test(line))
  write('everywhere.ts', portable.join('\n'))
  write('node.ts', lines.join('\n'))
  const config = (file, more) => JSON.stringify({ files: [file], compilerOptions: { ...compilerOptions, ...more } })
  write('tsconfig.everywhere.json', config('everywhere.ts', { lib: ['es2024', 'dom', 'dom.iterable'], types: [] }))
  write('tsconfig.node.json', config('node.ts', { lib: ['es2024'], types: ['node'] }))
  for (const where of ['everywhere', 'node']) {
    await attempt(
      `types (${where}, ${basename(project)})`,
      join(bin, 'tsc'),
      ['-p', `tsconfig.${where}.json`, '--pretty', 'false'],
      project,
    )
  }
}

/** Runs the first example of each README, as a reader would paste it. */
async function checkExamples(project) {
  for (const one of packages) {
    const [block] = codeBlocks('README.md', readFileSync(join(one.folder, 'README.md'), 'utf8'))
    if (!block) {
      problems.push(`${one.name}: its README has no example`)
      continue
    }
    const file = `${one.name.replace('@latchkey/', '')}.ts`
    writeFileSync(join(project, file), withFreePort(block).code)
    const reason = await runModule(join(project, file), project, [])
    if (reason !== null) problems.push(`${one.name}: the first example of its README: ${reason}`)
  }
}

/** Checks that each installed command runs and prints its help. */
async function checkCommands(project) {
  for (const command of packages.flatMap(({ manifest }) => Object.keys(manifest.bin ?? {}))) {
    const text = await attempt(`${command} --help`, join(project, 'node_modules/.bin', command), ['--help'], project)
    if (!text.includes(command)) problems.push(`${command} --help does not explain the command`)
  }
}

/** The required peers of the packages, in the versions that the workspace tests. */
function peers(of = packages) {
  const names = of.flatMap(({ manifest }) =>
    Object.keys(manifest.peerDependencies ?? {}).filter((name) => !manifest.peerDependenciesMeta?.[name]?.optional),
  )
  const owner = (name) => packages.find(({ manifest }) => manifest.peerDependencies?.[name])
  return [...new Set(names)].map((name) => {
    const { version } = readJson(join(owner(name).folder, 'node_modules', name, 'package.json'))
    return `${name}@${version}`
  })
}

/** The required peers in the oldest tested versions, which the workspace has as aliases, like `graphql-16`. */
function oldestPeers() {
  const aliases = packages.flatMap(({ manifest }) => Object.values(manifest.devDependencies ?? {}))
  return peers().map((newest) => {
    const [name] = newest.split(/(?<=.)@/)
    const alias = aliases.find((version) => version.startsWith(`npm:${name}@`))
    return alias ? alias.slice('npm:'.length) : newest
  })
}

/** Runs a tool and returns its output. If it fails, its output becomes a problem. */
async function attempt(what, command, args, cwd = root, env = process.env) {
  try {
    const { stdout } = await run(command, args, { cwd, env, maxBuffer: 1e8, shell: process.platform === 'win32' })
    return stdout
  } catch (error) {
    problems.push(`${what}\n${describe(error)}`)
    return ''
  }
}

function describe(error) {
  const printed = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim()
  return printed === '' ? error.message : printed
}

function readOptions() {
  try {
    const { values } = parseArgs({ options: { keep: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } })
    if (!values.help) return values
    console.log(help)
    process.exit(0)
  } catch (error) {
    console.error(`${error.message}\n\n${help}`)
    process.exit(2)
  }
}
