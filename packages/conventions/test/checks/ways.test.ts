import { expect, test } from 'vitest'
import { checkWays, waysDocument } from '../../src/checks/check-ways.ts'
import { buildHouse, type Files, goodPackage, house } from '../build-house.ts'

test('every step of the ways of a request names what is there and follows from a step before it', () => {
  expect(checkWays(house)).toEqual([])
})

const page = `# Ways

## A request

1. \`packages/one/src/listen.ts\` \`listen\`: takes it
2. \`packages/one/src/answer.ts\` \`answer\`: answers it
3. \`packages/two/src/thing.ts\` \`createThing\`: with this, which
   takes two lines
4. \`packages/one/src/answer.ts\` \`Reply\`: writes it

## Another

1. \`packages/one/src/method.ts\` \`send\`: is a method
`
const good: Files = {
  ...goodPackage('one'),
  ...goodPackage('two'),
  'packages/one/src/listen.ts': "import { answer } from './answer.ts'\nexport function listen(): void { answer() }\n",
  'packages/one/src/answer.ts':
    "import { createThing } from '@latchkey/two'\nexport interface Reply {}\nexport const answer = (): Reply => createThing()\n",
  'packages/one/src/method.ts': 'export const mailer = {\n  async send(): Promise<void> {},\n}\n',
}
const check = (from = '', to = '', changes: Files = {}) => {
  expect(page).toContain(from)
  return checkWays(buildHouse(good, { [waysDocument]: page.replace(from, to) }, changes))
}

test('a page whose steps follow from each other breaks no rule', () => {
  expect(check()).toEqual([])
})

test.each<[rule: string, from: string, to: string, violation: string]>([
  [
    'a file that is gone',
    'src/answer.ts` `answer`',
    'src/reply.ts` `answer`',
    ':6: packages/one/src/reply.ts is no source of a public package: where is answer now?',
  ],
  ['a name that is gone', '`listen`', '`serve`', ':5: packages/one/src/listen.ts does not declare serve'],
  [
    'a name that is only called',
    'src/listen.ts` `listen`',
    'src/listen.ts` `answer`',
    ':5: packages/one/src/listen.ts does not declare answer',
  ],
  [
    'a step that no step before it imports',
    '2. `packages/one/src/answer.ts` `answer`',
    '2. `packages/one/src/method.ts` `send`',
    ':6: no step before it imports packages/one/src/method.ts: name the file between them',
  ],
  ['a step with a wrong number', '4. `', '5. `', ':9: is step 4, not 5'],
  ['a step in another form', '`Reply`: writes', 'writes', ':9: a step is written as 1. `file` `name`: what it does'],
])('%s is named', (_rule, from, to, violation) => {
  expect(check(from, to)).toContain(`${waysDocument}${violation}`)
})

test('a step of another package that is not imported any more is named', () => {
  const changes = { 'packages/one/src/answer.ts': 'export interface Reply {}\nexport const answer = 1\n' }
  expect(check('', '', changes)).toEqual([
    `${waysDocument}:7: no step before it imports packages/two/src/thing.ts: name the file between them`,
  ])
})

test('a page without steps, or none at all, is named', () => {
  expect(checkWays(buildHouse({ [waysDocument]: '# Ways\n' }))).toEqual([`${waysDocument}: has no steps`])
  expect(checkWays(buildHouse())).toEqual([`${waysDocument} is missing: it follows requests through the files`])
})
