import { parseSync, Visitor } from 'oxc-parser'
import type { House } from '../house/house.ts'
import { seams as ourSeams, type Seam } from '../house/seams.ts'
import type { SourceFile } from '../house/source-file.ts'

const timers = /^(set|clear)(Timeout|Interval|Immediate)$/
const timeModules = /^node:(timers|timers\/promises|perf_hooks)$/

const keyMakers = /^generateKey(Pair)?(Sync)?$/
const ofKeys = 'take random bytes as the key, or generateKeyMaterial of @latchkey/jwt'

/** Members by which time, timers or random values are had, and what has them instead. */
const members: readonly { readonly member: RegExp; readonly instead: string }[] = [
  { member: /^Date\.now$/, instead: 'take `now`, with wallClock of @latchkey/time as its default' },
  { member: /^AbortSignal\.timeout$/, instead: 'use abortAfter of @latchkey/time' },
  { member: /^Math\.random$/, instead: 'use randomFraction of @latchkey/bytes' },
  { member: /\.(getRandomValues|random(Bytes|UUID|Int|Fill|FillSync))$/, instead: 'use @latchkey/bytes' },
  { member: /\.generateKey(Pair)?(Sync)?$/, instead: ofKeys },
  { member: /\.hrtime(\.bigint)?$/, instead: 'use performance.now()' },
]
const owners = /^(Date|Math|performance|crypto|globalThis)$/
const kept =
  /^(now|random|getRandomValues|random(Bytes|UUID|Int|Fill|FillSync)|(set|clear)(Timeout|Interval|Immediate))$/
const atLoad = /^(wallClock|after|atDeadline|every|pause|abortAfter|randomBytes|randomToken|randomFraction)$/

/**
 * Time, timers and random values come from the places that are listed, and are looked up when a call needs them: nothing
 * keeps a function of the platform, and no module reads them while it is loaded.
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

function usesIn({ path, text, imports }: SourceFile): Use[] {
  const found: Use[] = imports
    .filter(({ specifier }) => timeModules.test(specifier))
    .map(({ specifier }) => ({ name: specifier, instead: 'use @latchkey/time', start: text.indexOf(specifier) }))
  const add = (name: string, instead: string, { start }: { readonly start: number }): void => {
    if (!found.some((use) => use.start === start)) found.push({ name, instead, start })
  }
  const names = new Set<number>()
  const called = new Set<number>()
  let depth = 0
  const enter = (): void => void depth++
  const leave = (): void => void depth--
  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    CallExpression({ callee }) {
      called.add(callee.start)
      if (depth > 0) return
      const name = text.slice(callee.start, callee.end)
      if (atLoad.test(name) || name === 'performance.now') add(name, 'is called while the module is loaded', callee)
    },
    NewExpression(node) {
      if (text.slice(node.callee.start, node.callee.end) !== 'Date' || node.arguments.length > 0) return
      add('new Date()', 'take `now`', node)
    },
    MemberExpression(node) {
      const whole = text.slice(node.start, node.end).replace(/^globalThis\.|\?|\s/g, '')
      if (!node.computed) names.add(node.property.start)
      if (timers.test(whole)) add(whole, 'use @latchkey/time', node)
      if (whole === 'performance.now' && !called.has(node.start)) add(whole, 'call it, do not keep it', node)
      const rule = members.find(({ member }) => member.test(whole))
      if (rule) add(whole, rule.instead, node)
    },
    VariableDeclarator({ id, init }) {
      if (id.type !== 'ObjectPattern' || init?.type !== 'Identifier' || !owners.test(init.name)) return
      for (const { start, end } of id.properties) {
        const [name = ''] = text.slice(start, end).split(/\W/, 1)
        if (kept.test(name)) add(`{ ${name} } = ${init.name}`, 'call it there, do not keep it', init)
      }
    },
    Property: ({ key, shorthand }) => void (shorthand || names.add(key.start)),
    MethodDefinition: ({ key }) => void names.add(key.start),
    TSMethodSignature: ({ key }) => void names.add(key.start),
    TSPropertySignature: ({ key }) => void names.add(key.start),
    Identifier(node) {
      if (names.has(node.start)) return
      if (timers.test(node.name)) add(node.name, 'use @latchkey/time', node)
      if (keyMakers.test(node.name)) add(node.name, ofKeys, node)
    },
  }).visit(parseSync(path, text).program)
  return found
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}
