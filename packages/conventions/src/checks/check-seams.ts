import { Visitor, type VisitorObject } from 'oxc-parser'
import type { House } from '../house/house.ts'
import { seams as ourSeams, type Seam } from '../house/seams.ts'
import { lineAt, type SourceFile } from '../house/source-file.ts'

const timers = /^(set|clear)(Timeout|Interval|Immediate)$/
const timeModules = /^node:(timers|timers\/promises|perf_hooks)$/

const ofTime = 'use @latchkey/core/internal'
const ofBytes = 'use @latchkey/bytes'
const ofNow = 'take `now`, with wallClock of @latchkey/core/internal as its default'
const keyMakers = /^generateKey(Pair)?(Sync)?$/
const ofKeys = 'take random bytes as the key, or generateKeyMaterial of @latchkey/jwt'

/** Members that return time, timers or random values, and their replacements. */
const members: readonly { readonly member: RegExp; readonly instead: string }[] = [
  { member: /^Date\.now$/, instead: ofNow },
  { member: /^AbortSignal\.timeout$/, instead: 'use abortAfter of @latchkey/core/internal' },
  { member: /^Math\.random$/, instead: 'use randomFraction of @latchkey/bytes' },
  { member: /\.(getRandomValues|random(Bytes|UUID|Int|Fill|FillSync))$/, instead: ofBytes },
  { member: /\.generateKey(Pair)?(Sync)?$/, instead: ofKeys },
  { member: /\.hrtime(\.bigint)?$/, instead: 'use performance.now()' },
]
const owners = /^(Date|Math|performance|crypto|globalThis)$/
const kept =
  /^(now|random|getRandomValues|random(Bytes|UUID|Int|Fill|FillSync)|(set|clear)(Timeout|Interval|Immediate))$/
const atLoad = /^(wallClock|after|atDeadline|every|pause|abortAfter|randomBytes|randomToken|randomFraction)$/

/**
 * Checks that time, timers and random values come from the listed places, and are looked up in each call: no variable
 * keeps a function of the platform, and no module calls them while it is loaded.
 */
export function checkSeams(house: House, seams: readonly Seam[] = ourSeams): string[] {
  return house.packages
    .flatMap(({ sources }) => sources)
    .flatMap((source) => {
      const allowed = seams.find(({ place }) => place === source.path)?.uses ?? []
      return usesIn(source)
        .filter(({ name }) => !allowed.includes(name))
        .map(({ name, instead, start }) => `${source.path}:${lineAt(source.text, start)}: ${name}: ${instead}`)
    })
}

interface Use {
  readonly name: string
  readonly instead: string
  readonly start: number
}

/** One file while it is read. */
interface Reading {
  readonly text: string
  readonly found: Use[]
  /** Where members and properties are named, which are no variables. */
  readonly names: Set<number>
  /** The positions of calls. */
  readonly called: Set<number>
  /** In how many functions the place is. */
  depth: number
}

const read = new WeakMap<SourceFile, readonly Use[]>()

function usesIn(source: SourceFile): readonly Use[] {
  const uses = read.get(source) ?? findUses(source)
  read.set(source, uses)
  return uses
}

function findUses({ text, imports, parsed }: SourceFile): readonly Use[] {
  const found = imports
    .filter(({ specifier }) => timeModules.test(specifier))
    .map(({ specifier }) => ({ name: specifier, instead: ofTime, start: text.indexOf(specifier) }))
  const reading: Reading = { text, found, names: new Set(), called: new Set(), depth: 0 }
  const enter = (): void => void reading.depth++
  const leave = (): void => void reading.depth--
  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    Property: ({ key, shorthand }) => void (shorthand || reading.names.add(key.start)),
    MethodDefinition: ({ key }) => void reading.names.add(key.start),
    TSMethodSignature: ({ key }) => void reading.names.add(key.start),
    TSPropertySignature: ({ key }) => void reading.names.add(key.start),
    ...callVisitors(reading),
    ...nameVisitors(reading),
  }).visit(parsed.program)
  return found
}

function add({ found }: Reading, name: string, instead: string, { start }: { readonly start: number }): void {
  if (!found.some((use) => use.start === start)) found.push({ name, instead, start })
}

function callVisitors(reading: Reading): VisitorObject {
  const { text, called } = reading
  return {
    CallExpression({ callee }) {
      called.add(callee.start)
      const name = text.slice(callee.start, callee.end)
      if (name === 'Date') add(reading, 'Date()', ofNow, callee)
      if (reading.depth > 0 || !(atLoad.test(name) || name === 'performance.now')) return
      add(reading, name, 'is called while the module is loaded', callee)
    },
    NewExpression(node) {
      const isNow = text.slice(node.callee.start, node.callee.end) === 'Date' && node.arguments.length === 0
      if (isNow) add(reading, 'new Date()', ofNow, node)
    },
  }
}

function nameVisitors(reading: Reading): VisitorObject {
  const { text, names, called } = reading
  return {
    ImportDeclaration({ source, specifiers }) {
      if (source.value !== 'node:crypto') return
      for (const { start, end } of specifiers) {
        const [name = ''] = text.slice(start, end).split(/\W/, 1)
        if (kept.test(name)) add(reading, `${name} of node:crypto`, ofBytes, { start })
      }
    },
    MemberExpression(node) {
      const whole = text.slice(node.start, node.end).replace(/^globalThis\.|\?|\s/g, '')
      if (!node.computed) names.add(node.property.start)
      if (timers.test(whole)) add(reading, whole, ofTime, node)
      if (whole === 'performance.now' && !called.has(node.start)) add(reading, whole, 'call it, do not keep it', node)
      const rule = members.find(({ member }) => member.test(whole))
      if (rule) add(reading, whole, rule.instead, node)
    },
    VariableDeclarator({ id, init }) {
      if (id.type !== 'ObjectPattern' || init?.type !== 'Identifier' || !owners.test(init.name)) return
      for (const { start, end } of id.properties) {
        const [name = ''] = text.slice(start, end).split(/\W/, 1)
        if (kept.test(name)) add(reading, `{ ${name} } = ${init.name}`, 'call it there, do not keep it', init)
      }
    },
    Identifier(node) {
      if (names.has(node.start)) return
      if (timers.test(node.name)) add(reading, node.name, ofTime, node)
      if (keyMakers.test(node.name)) add(reading, node.name, ofKeys, node)
    },
  }
}
