// Changes every public package for a release: adds the address of the repository to package.json and to the links of the
// README that lead out of the package, and removes bundled dependencies.
// The address is not committed, because a fork or a mirror would publish the address of another repository.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { releasedPackages, root } from './workspace.mjs'

const help = `usage: node scripts/set-repository.mjs [--root folder]

Sets repository, homepage and bugs in the package.json of every public package: where it was built from, its README, and
where problems are reported. The address is that of the workflow (GITHUB_SERVER_URL and GITHUB_REPOSITORY), or else that
of the git remote "origin". Links of a README to files outside its package get that address. Removes the dependencies that
"bundled" names, whose code the build has put into dist.

  --root   the workspace, by default the one that this script stands in
  --help   this text

Ends with 0 if all were set, with 1 if there is no address of a public repository, with 2 if it was called wrongly.`

const { workspace = root } = readOptions()
const address = webAddress(workflowAddress() ?? remoteAddress())
if (address === null) {
  console.error(
    'No address of a public repository: set GITHUB_SERVER_URL and GITHUB_REPOSITORY, or the git remote "origin".',
  )
  process.exit(1)
}
const packages = releasedPackages(workspace)
for (const { folder, manifest } of packages) {
  const directory = relative(workspace, folder).replaceAll('\\', '/')
  const fields = {
    homepage: `${address}/tree/HEAD/${directory}#readme`,
    bugs: { url: `${address}/issues` },
    repository: { type: 'git', url: `git+${address}.git`, directory },
  }
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...withoutBundled(manifest), ...fields }, null, 2)}\n`,
  )
  const readme = join(folder, 'README.md')
  writeFileSync(readme, withAddresses(readFileSync(readme, 'utf8'), `${address}/blob/HEAD/${directory}/README.md`))
}
console.log(`${packages.length} packages are of ${address}`)

function withoutBundled({ bundled = [], ...manifest }) {
  if (bundled.length === 0) return manifest
  const kept = Object.entries(manifest.dependencies).filter(([name]) => !bundled.includes(name))
  return { ...manifest, dependencies: Object.fromEntries(kept) }
}

/** The files around a package are not installed with it. */
function withAddresses(text, page) {
  return text.replace(/(?<=\]\()\.\.\/[^)\s]+/g, (link) => new URL(link, page).href)
}

function workflowAddress() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  return server && repository ? `${server}/${repository}` : null
}

function remoteAddress() {
  try {
    return execFileSync('git', ['remote', 'get-url', 'origin'], {
      cwd: workspace,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return null
  }
}

/** The web address of a repository, from any form of its address, without a user name or token. */
function webAddress(given) {
  // git@host:owner/name.git is the short form of ssh://git@host/owner/name.git
  const long = given?.replace(/^[\w.-]+@([\w.-]+):(?!\/)/, 'ssh://$1/') ?? ''
  if (!/^(https?|ssh|git):\/\//.test(long) || !URL.canParse(long)) return null
  const { protocol, host, hostname, pathname } = new URL(long)
  const path = pathname.replace(/\/+$/, '').replace(/\.git$/, '')
  if (hostname === '' || !/^(\/[\w.-]+){2,}$/.test(path)) return null
  // Keep the port of an https address only: a port of SSH is not a port of the website.
  return `https://${protocol === 'https:' ? host : hostname}${path}`
}

function readOptions() {
  try {
    const { values } = parseArgs({ options: { root: { type: 'string' }, help: { type: 'boolean', short: 'h' } } })
    if (!values.help) return { workspace: values.root }
    console.log(help)
    process.exit(0)
  } catch (error) {
    console.error(`${error.message}\n\n${help}`)
    process.exit(2)
  }
}
