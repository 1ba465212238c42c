import { compileAccess, type RuleMap } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema, isAbstractType, isInterfaceType, isObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { pathsTo, waysInto } from '../support/access-paths.ts'

// The same field on every path: documents are generated from the schema, as many ways to a field as there are, and every
// form of selecting it. What each has to be answered is worked out here from the rules as they are written.

/** Of each field every fifteenth path, beginning at another one; in the second tier every third, in the third all, and longer ways. */
const isLong = process.env.TEST_TIER === '3'
const pathsPerTried = { 1: 15, 2: 3, 3: 1 }[process.env.TEST_TIER ?? 1] ?? 15

const permissions = ['p:a', 'p:b'] as const
const policy = definePolicy({ permissions, roles: { A: { permissions: ['p:a'] }, B: { permissions: ['p:b'] } } })

const schemas: Readonly<Record<string, readonly [sdl: string, rules: Readonly<Record<string, string>>]>> = {
  'objects that are found by their id, in lists, by search and in payloads': [
    `interface Node { id: ID! }
     type User implements Node { id: ID!, email: String, articles: [Article!] }
     type Article implements Node { id: ID!, draft: String, author: User }
     union Found = User | Article
     type ArticlePayload { article: Article, query: Query }
     type Query { node(id: ID!): Node, nodes: [Node!], search: [Found], me: User, article(id: ID!): Article }
     type Mutation { publish(id: ID!): ArticlePayload, touch: Node }`,
    { 'User.email': 'p:a', 'Article.draft': 'p:b', 'User.articles': 'authenticated', 'Mutation.publish': 'p:b' },
  ],
  'interfaces that promise more than the objects': [
    `interface Named { name: String }
     interface Pet implements Named { name: String, owner: Person }
     type Dog implements Pet & Named { name: String, owner: Person, tag: String }
     type Cat implements Pet & Named { name: String, owner: Person, tag: String }
     type Person implements Named { name: String, pets: [Pet!] }
     type Query { pet: Pet, named: [Named!], dog: Dog, person: Person }`,
    {
      'Named.name': 'authenticated',
      'Pet.owner': 'p:a',
      'Cat.name': 'p:b',
      'Dog.tag': 'p:a',
      'Cat.tag': 'p:b',
      'Person.pets': 'p:b',
    },
  ],
  'objects that return less than their interface promises': [
    `interface Being { name: String, owner: Being }
     type Dog implements Being { name: String, owner: Person }
     type Cat implements Being { name: String, owner: Shelter }
     type Person implements Being { name: String, owner: Person }
     type Shelter implements Being { name: String, owner: Shelter }
     type Query { being: Being, dog: Dog, cat: Cat }`,
    { 'Person.name': 'p:a', 'Shelter.name': 'p:b', 'Dog.name': 'authenticated', 'Shelter.owner': 'authenticated' },
  ],
  'rules on types and interfaces': [
    `interface Secret { code: String }
     type Key implements Secret { code: String, door: Door }
     type Door { number: String, key: Key }
     type Note { text: String, about: Thing }
     union Thing = Door | Note
     type Query { secret: Secret, door: Door, thing: Thing, note: Note }
     type Mutation { open: Door, write: Note }`,
    {
      Secret: 'p:a',
      Door: 'authenticated',
      'Secret.code': 'authenticated',
      'Key.code': 'p:b',
      'Key.door': 'authenticated',
      'Door.number': 'authenticated',
      'Door.key': 'p:b',
      'Note.text': 'authenticated',
    },
  ],
}

const askers: readonly (readonly ('A' | 'B')[] | null)[] = [null, [], ['A'], ['B'], ['A', 'B']]

for (const [title, [sdl, rules]] of Object.entries(schemas)) {
  describe(title, () => {
    const schema = buildSchema(sdl)
    const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__'))
    const written = (coordinate: string) => rules[coordinate] ?? 'public'
    const map = types.flatMap((type) => {
      if (!isObjectType(type) && !isInterfaceType(type)) return []
      const names = [
        ...(rules[type.name] ? [type.name] : []),
        ...Object.keys(type.getFields()).map((f) => `${type.name}.${f}`),
      ]
      return names.map((name) => [name, written(name).includes(':') ? { permissions: written(name) } : written(name)])
    })
    // The longest paths go through lists of lists, whose cost is not tested here.
    const limits = { cost: 1_000_000 }
    const access = compileAccess({ schema, policy, rules: Object.fromEntries(map) as RuleMap<typeof policy>, limits })

    /** A type, and the interfaces that it implements. */
    const lineOf = (name: string): readonly string[] => {
      const type = schema.getType(name)
      return isObjectType(type) ? [name, ...type.getInterfaces().map((one) => one.name)] : [name]
    }
    /** Every rule that is written for a field, for its type, and for what it returns. */
    const asks = (coordinate: string): readonly string[] => {
      const [typeName = '', field = ''] = coordinate.split('.')
      const type = schema.getType(typeName)
      const returned = isObjectType(type) ? String(type.getFields()[field]?.type).replace(/\W/g, '') : ''
      const target = schema.getType(returned)
      const possible = isAbstractType(target) ? schema.getPossibleTypes(target).map(({ name }) => name) : []
      const places = [
        ...lineOf(typeName).flatMap((name) => [name, `${name}.${field}`]),
        ...[returned, ...possible].flatMap(lineOf),
      ]
      return places.flatMap((place) => rules[place] ?? [])
    }
    const expected = (reaches: readonly string[], roles: readonly string[] | null): string => {
      const all = reaches.flatMap(asks)
      if (all.length === 0) return 'executed'
      if (!roles) return 'UNAUTHENTICATED'
      const held = roles.map((role) => `p:${role.toLowerCase()}`)
      return all.every((rule) => rule === 'authenticated' || held.includes(rule)) ? 'executed' : 'FORBIDDEN'
    }

    const ways = waysInto(schema, isLong ? 4 : 2)
    const coordinates = types.flatMap((type) =>
      isObjectType(type) ? Object.keys(type.getFields()).map((field) => `${type.name}.${field}`) : [],
    )

    const isTried = (path: number, coordinate: number) => (path + coordinate) % pathsPerTried === 0

    test.each(coordinates)('%s is decided alike on every path', { timeout: 300_000 }, async (coordinate) => {
      const all = pathsTo(schema, ways, coordinate)
      expect(all.length).toBeGreaterThan(30)
      const paths = all.filter((_path, index) => isTried(index, coordinates.indexOf(coordinate)))
      const wrong: object[] = []
      for (const { query, variables, reaches } of paths) {
        for (const roles of askers) {
          const identity = roles && policy.identify({ subject: 'acc_1', roles })
          const verdict = await access.prepare({ query, variables }, { identity })
          const decided = verdict.ok ? 'executed' : verdict.errors[0]?.extensions.code
          const right = expected(reaches, roles)
          if (decided !== right) wrong.push({ query, roles, decided, right })
        }
      }
      expect(wrong).toEqual([])
    })
  })
}
