import { Visitor } from 'oxc-parser'
import { publicEntries } from '../house/declarations.ts'
import type { House, Package } from '../house/house.ts'
import type { SourceFile } from '../house/source-file.ts'

/** Codes are the contract: each one is explained to the user and reached by a test. */
export function checkErrorCodes(house: House): string[] {
  const tests = [...house.packages, ...house.privatePackages]
    .flatMap((one) => one.tests.map(({ text }) => text))
    .join('\n')
  return [...house.packages.flatMap((one) => checkPackage(house, one, tests)), ...checkJudging(house)]
}

/**
 * Forbids `instanceof` for errors: two versions of a package in one installation have two copies of its classes, so
 * errors are recognized by their codes.
 */
function checkJudging(house: House): string[] {
  const classes = house.packages.flatMap(({ folder, sources }) =>
    sources
      .filter(({ path }) => path === `${folder}/src/errors.ts`)
      .flatMap(({ text }) => [...text.matchAll(/^export class (\w+) extends Error\b/gm)].map(([, name]) => name ?? '')),
  )
  const internal = new Set(['UnavailableError'])
  const judged = new RegExp(`\\binstanceof (${classes.filter((name) => !internal.has(name)).join('|') || '$^'})\\b`)
  return [...house.packages, ...house.privatePackages]
    .flatMap(({ sources }) => sources)
    .flatMap(({ path, text }) => {
      const name = judged.exec(text)?.[1]
      return name === undefined ? [] : [`${path}: judges ${name} by instanceof: write is${name}(error)`]
    })
}

function checkPackage(house: House, one: Package, tests: string): string[] {
  const { folder, sources } = one
  const errors = sources.find(({ path }) => path === `${folder}/src/errors.ts`)
  const strays = publicErrors(one).filter((path) => path !== `${folder}/src/errors.ts`)
  const codes = errors ? errorCodes(errors) : []
  const readme = documentsOf(house, one)
  return [
    ...strays.map((path) => `${path}: public error classes stand in src/errors.ts`),
    ...(errors && codes.length === 0 ? [`${errors.path}: has no union of codes named …Code`] : []),
    ...codes
      .filter((code) => !/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(code))
      .map((code) => `${folder}/src/errors.ts: code ${code} is not UPPER_SNAKE`),
    ...codes
      .filter((code) => !readme.includes(`\`${code}\``))
      .map((code) => `${folder}/README.md: does not explain ${code}`),
    ...codes.filter((code) => !tests.includes(`'${code}'`)).map((code) => `${folder}/test: no test asserts ${code}`),
  ]
}

/** The README of a package and its pages in `docs`, as one text. */
function documentsOf(house: House, { folder }: Package): string {
  const pages = `docs/${folder.replace('packages/', '')}/`
  const paths = house.files.filter(
    (path) => path === `${folder}/README.md` || (path.startsWith(pages) && path.endsWith('.md')),
  )
  return paths.map((path) => house.read(path)).join('\n')
}

/** Returns the files of the error classes that users of the package can import. */
function publicErrors(one: Package): string[] {
  return publicEntries(one)
    .flatMap(({ declarations }) => declarations)
    .filter(({ kind, signature }) => kind === 'class' && /^class \w+ extends \w*Error\b/.test(signature))
    .map(({ path }) => path)
}

/** Returns the members of every exported union type whose name ends in `Code`. */
function errorCodes({ parsed }: SourceFile): string[] {
  const codes: string[] = []
  new Visitor({
    TSTypeAliasDeclaration({ id, typeAnnotation }) {
      if (!id.name.endsWith('Code')) return
      const members = typeAnnotation.type === 'TSUnionType' ? typeAnnotation.types : [typeAnnotation]
      for (const member of members) {
        if (member.type === 'TSLiteralType' && 'value' in member.literal) codes.push(String(member.literal.value))
      }
    },
  }).visit(parsed.program)
  return codes
}
