import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from './choices.mjs'
import { installCommand, neededNode, runsService } from './node-version.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { devDependencies: released } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Tested with these. */
const versions = {
  '@types/node': '^24.0.0',
  '@types/pg': '^8.20.0',
  '@types/react': '^18.3.0',
  '@types/react-dom': '^18.3.0',
  '@vitejs/plugin-react': '^6.3.0',
  graphiql: '^3.9.0',
  graphql: '^17.1.0',
  'graphql-sse': '^2.6.0',
  node: '^24.0.0',
  pg: '^8.20.0',
  react: '^18.3.0',
  'react-dom': '^18.3.0',
  typescript: '^7.0.0',
  vite: '^8.3.0',
}

/** People open the page of Vite, which passes the rest on to the service. */
const origins = { service: 'http://127.0.0.1:4000', page: 'http://localhost:5173' }

/** In the README, before the service starts. */
const startDatabase = 'docker compose up --detach   # PostgreSQL, if DATABASE_URL is not set'

/**
 * Writes the project that was chosen. Made with a Node.js that is too old, it has a newer one as a dependency.
 *
 * @returns {string[]} its files, relative to its folder.
 */
export function writeProject({ folder, name, database, react, tarballs }) {
  const packed = tarballs === null ? null : packedIn(tarballs)
  mkdirSync(folder, { recursive: true })
  for (const part of ['base', database, react ? 'react' : 'plain']) {
    cpSync(join(root, 'template', part), folder, { recursive: true })
  }
  if (react) leadToPage(join(folder, 'src/service.ts'))
  writeReadme(join(folder, 'README.md'), database)
  // npm would leave a file of its true name out of the package.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'))
  const manifest = manifestOf({ name, database, react, packed })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return filesIn(folder).map((file) => relative(folder, file))
}

function manifestOf({ name, database, react, packed }) {
  const own = ['@latchkey/rbac', '@latchkey/server', '@latchkey/sql', ...(react ? ['@latchkey/client'] : [])]
  const others = ['graphql', ...(database === 'postgres' ? ['pg'] : []), ...(react ? ['react', 'react-dom'] : [])]
  const development = ['@types/node', 'graphiql', 'graphql-sse', 'react', 'react-dom', 'typescript']
  if (database === 'postgres') development.push('@types/pg')
  const hasNode = runsService(process.versions.node)
  if (!hasNode) others.push('node')
  if (react) development.push('@types/react', '@types/react-dom', '@vitejs/plugin-react', 'vite')
  return {
    name,
    private: true,
    type: 'module',
    engines: { node: neededNode.range },
    // npm compares this with the Node.js that it runs in, before it installs and before a script.
    ...(hasNode ? { devEngines: { runtime: { name: 'node', version: neededNode.range, onFail: 'error' } } } : {}),
    scripts: {
      dev: 'latchkey serve src/server.ts --migrate --port 4000',
      ...(react ? { 'dev:web': 'vite web', 'build:web': 'vite build web' } : {}),
      start: 'latchkey serve src/server.ts',
      migrate: 'latchkey migrate src/server.ts',
      test: 'node --test "test/*.test.ts"',
      types: react ? 'tsc && tsc --project web' : 'tsc',
    },
    dependencies: { ...(packed ?? pick(own, released)), ...pick(others, versions) },
    devDependencies: pick(development.filter((one) => !others.includes(one)).sort(), versions),
    ...(hasNode ? {} : { allowScripts: { node: true } }),
  }
}

const pick = (names, from) => Object.fromEntries(names.map((name) => [name, from[name]]))

/** All packages of the folder: a packed package depends on others, which npm finds only there. */
function packedIn(folder) {
  const files = readdirSync(folder).filter((file) => /^latchkey-.+\.tgz$/.test(file))
  if (files.length === 0) throw new UsageError(`"--tarballs": ${folder} has no file latchkey-….tgz`)
  return Object.fromEntries(
    files.map((file) => [
      file.replace(/^latchkey-(.+)-\d+\.\d+\.\d+.*\.tgz$/, '@latchkey/$1'),
      `file:${join(folder, file)}`,
    ]),
  )
}

/** People open the page, and the pages of the service lead back to it. */
function leadToPage(file) {
  replaceIn(file, origins.service, origins.page)
  const development = 'development: createDevelopmentPages()'
  replaceIn(
    file,
    `pages: isProduction ? {} : { ${development} },`,
    `pages: { home: '/', ...(isProduction ? {} : { ${development} }) },`,
  )
}

/** Completes the README by the steps of the database, and by a section for the Node.js that runs this. */
function writeReadme(file, database) {
  if (database === 'postgres') replaceIn(file, 'npm test\n', `npm test\n${startDatabase}\n`)
  const hasNode = runsService(process.versions.node)
  replaceIn(file, 'npm install\n', `${installCommand(process.versions.node)}\n`)
  const section = readFileSync(join(root, 'template/node', hasNode ? 'installed.md' : 'added.md'), 'utf8')
  replaceIn(file, '<!-- Node.js -->\n', section)
}

function replaceIn(file, text, other) {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(text, other))
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())
    .sort()
}
