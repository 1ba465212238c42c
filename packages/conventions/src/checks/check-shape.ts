import { entriesOf, type House, isConditions, type Manifest, type Package } from '../house/house.ts'

/** Every package has the same face: its files, its package.json, its README. */
export function checkShape(house: House): string[] {
  return house.packages.flatMap((one) => [
    ...checkFiles(house, one),
    ...checkManifest(one),
    ...checkKeywords(house, one),
    ...checkExports(house, one),
    ...checkReadme(house, one),
  ])
}

function checkFiles(house: House, { folder, tests }: Package): string[] {
  const missing = ['README.md', 'tsconfig.json', 'src/index.ts'].filter((file) => !house.has(`${folder}/${file}`))
  const hasTests = tests.some(({ path }) => path.endsWith('.test.ts'))
  const known = /^(package\.json|README\.md|CHANGELOG\.md|tsconfig\.json|(src|test|bench)\/.+)$/
  const strangers = house.files
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1))
    .filter((path) => !known.test(path))
  return [
    ...missing.map((file) => `${folder}: ${file} is missing`),
    ...(hasTests ? [] : [`${folder}: has no tests`]),
    ...strangers.map((path) => `${folder}: ${path} does not belong into a package`),
  ]
}

const required: Readonly<Record<string, (manifest: Manifest) => boolean>> = {
  'name is @latchkey/ and its folder': ({ name }) => /^@latchkey\/[a-z]+(-[a-z]+)*$/.test(name ?? ''),
  'description is a sentence': ({ description }) => (description ?? '').length >= 20,
  'license is MIT': ({ license }) => license === 'MIT',
  'type is module': ({ type }) => type === 'module',
  'engines.node is >=22.18': ({ engines }) => engines?.node === '>=22.18',
  'sideEffects is false or a list of files': ({ sideEffects }) => sideEffects === false || Array.isArray(sideEffects),
  'files begin with dist, src, CHANGELOG.md': ({ files }) => String(files).startsWith('dist,src,CHANGELOG.md'),
  'homepage, bugs and repository are set at release': ({ homepage, bugs, repository }) =>
    homepage === undefined && bugs === undefined && repository === undefined,
  'publishConfig.access is public': ({ publishConfig }) => publishConfig?.access === 'public',
  'scripts.build exists': ({ scripts }) => scripts?.build !== undefined,
  'exports has . and ./package.json': ({ exports }) =>
    exports?.['.'] !== undefined && exports['./package.json'] === './package.json',
}

function checkManifest({ name, folder, manifest }: Package): string[] {
  const broken = Object.entries(required).filter(([, holds]) => !holds(manifest))
  const isNamed = name === `@latchkey/${folder.split('/')[1]}`
  return [
    ...broken.map(([rule]) => `${folder}/package.json: ${rule}`),
    ...(isNamed ? [] : [`${folder}/package.json: name and folder differ`]),
  ]
}

/** Checks the search words for users who need this package and no other. The name of the project finds all packages. */
function checkKeywords({ packages }: House, { folder, manifest: { keywords = [] } }: Package): string[] {
  const specific = new Set(keywords.filter((keyword) => keyword !== 'latchkey'))
  const problems = {
    'keywords has latchkey': keywords.includes('latchkey'),
    'keywords has five beside latchkey': specific.size >= 5,
    'keywords has none twice': new Set(keywords).size === keywords.length,
    'keywords are in lower case, with hyphens': keywords.every((keyword) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(keyword)),
  }
  const usual = [...specific].filter(
    (keyword) => packages.filter(({ manifest }) => manifest.keywords?.includes(keyword)).length > 2,
  )
  return [
    ...Object.entries(problems).flatMap(([rule, holds]) => (holds ? [] : [`${folder}/package.json: ${rule}`])),
    ...usual.map((keyword) => `${folder}/package.json: keyword ${keyword} stands in more than two packages`),
  ]
}

/** Checks the conditions of exports: source for this workspace, then types, then JavaScript; the first match wins. */
function checkExports(house: House, one: Package): string[] {
  const { folder, manifest } = one
  const targets = Object.entries(manifest.exports ?? {}).filter(([subpath]) => subpath !== './package.json')
  const wrong = targets.filter(([, target]) => {
    const source = isConditions(target) ? String(target['@latchkey/source']) : ''
    const built = source.replace(/^\.\/src\/(.*)\.ts$/, './dist/$1')
    const expected = { '@latchkey/source': source, types: `${built}.d.ts`, default: `${built}.js` }
    return built === source || JSON.stringify(target) !== JSON.stringify(expected)
  })
  return [
    ...wrong.map(([subpath]) => `${folder}/package.json: exports "${subpath}" needs @latchkey/source, types, default`),
    ...entriesOf(one)
      .filter(({ source }) => !house.has(source))
      .map(({ subpath, source }) => `${folder}/package.json: exports "${subpath}" has no source ${source}`),
  ]
}

function checkReadme(house: House, { name, folder }: Package): string[] {
  const path = `${folder}/README.md`
  if (!house.has(path)) return []
  const text = house.read(path)
  const parts: Readonly<Record<string, boolean>> = {
    [`begin with "# ${name}"`]: text.startsWith(`# ${name}\n`),
    'show how it is installed': text.split('\n').some((line) => line.startsWith('npm install ') && line.includes(name)),
    'show a first example in a ts block': text.includes('\n```ts\n'),
    'have a section "## Security"': text.includes('\n## Security\n'),
  }
  return Object.entries(parts).flatMap(([part, holds]) => (holds ? [] : [`${path}: must ${part}`]))
}
