import { StoreError } from '@latchkey/store'
import {
  defineStoredShape,
  isStoredCount,
  isStoredFlag,
  isStoredText,
  storedList,
  storedObject,
  storedOrNull,
  storedVersion,
} from '@latchkey/store/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

interface Invitation {
  readonly email: string
  readonly uses: number
  readonly by: string | null
}

const shape = defineStoredShape<Invitation>({
  name: 'invitation',
  members: { email: isStoredText, uses: isStoredCount, by: storedOrNull(isStoredText) },
  added: { by: { since: 1, before: null } },
})

const codeOf = (action: () => unknown): unknown => {
  try {
    return action()
  } catch (error) {
    return error instanceof StoreError ? error.code : error
  }
}

describe('a stored value', () => {
  test('begins with the version of its shape', () => {
    expect(shape.format({ email: 'ada@example.com', uses: 1, by: null }, 1)).toBe(
      '{"v":1,"email":"ada@example.com","uses":1,"by":null}',
    )
  })

  test('is read as it was written', () => {
    const anything = fc.record({
      email: fc.string(),
      uses: fc.nat(),
      by: fc.option(fc.string(), { nil: null }),
    })
    fc.assert(
      fc.property(anything, (value) => {
        expect(shape.parse(shape.format(value, storedVersion))).toEqual({ v: storedVersion, ...value })
      }),
    )
  })

  test('has defaults for the members that its older version lacks', () => {
    expect(shape.parse('{"email":"a@example.com","uses":0}')).toEqual({ email: 'a@example.com', uses: 0, by: null })
  })

  test('is written in an older version without the newer members', () => {
    expect(shape.format({ email: 'a@example.com', uses: 0, by: null }, 0)).toBe('{"email":"a@example.com","uses":0}')
  })

  test('is not written in an older version that cannot hold it', () => {
    const value = { email: 'a@example.com', uses: 0, by: 'acc_1' }
    expect(codeOf(() => shape.format(value, 0))).toBe('STORE_DATA_OLDER')
    expect(codeOf(() => shape.format({ ...value, v: 1 }, 0))).toContain('"by":"acc_1"')
  })

  test('is never written in a version that this release does not know', () => {
    const value = { email: 'a@example.com', uses: 0, by: null }
    expect(shape.format(value, storedVersion + 5)).toMatch(new RegExp(`^{"v":${storedVersion},`))
  })

  test.each([
    ['', 'STORE_DATA_INVALID'],
    ['{', 'STORE_DATA_INVALID'],
    ['null', 'STORE_DATA_INVALID'],
    ['[]', 'STORE_DATA_INVALID'],
    ['"text"', 'STORE_DATA_INVALID'],
    ['{}', 'STORE_DATA_INVALID'],
    ['{"v":1,"email":"a@example.com","uses":0}', 'STORE_DATA_INVALID'],
    ['{"v":1,"email":1,"uses":0,"by":null}', 'STORE_DATA_INVALID'],
    ['{"v":1,"email":"a@example.com","uses":-1,"by":null}', 'STORE_DATA_INVALID'],
    ['{"v":1,"email":"a@example.com","uses":1.5,"by":null}', 'STORE_DATA_INVALID'],
    ['{"v":-1,"email":"a@example.com","uses":0,"by":null}', 'STORE_DATA_INVALID'],
    ['{"v":"1","email":"a@example.com","uses":0,"by":null}', 'STORE_DATA_INVALID'],
    ['{"v":0.5,"email":"a@example.com","uses":0,"by":null}', 'STORE_DATA_INVALID'],
    ['{"v":null,"email":"a@example.com","uses":0,"by":null}', 'STORE_DATA_INVALID'],
    [`{"v":${storedVersion + 1},"email":"a@example.com","uses":0,"by":null}`, 'STORE_DATA_NEWER'],
    ['{"v":9007199254740991}', 'STORE_DATA_NEWER'],
  ])('%j is an outage: %s', (text, code) => {
    expect(codeOf(() => shape.parse(text))).toBe(code)
  })

  test('is an outage for any other text, which the message does not quote', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(codeOf(() => shape.parse(text))).toBe('STORE_DATA_INVALID')
      }),
    )
    expect(() => shape.parse('c2VjcmV0')).toThrow('what is stored is no invitation: it is not JSON')
  })

  test('may have a member named __proto__', () => {
    const value = shape.parse('{"__proto__":{"by":"acc_9"},"email":"a@example.com","uses":0}')
    expect(value.by).toBeNull()
    expect(Object.getPrototypeOf({ ...value })).toBe(Object.prototype)
  })
})

test.each([
  [isStoredText, 'text', 1],
  [isStoredCount, 0, '0'],
  [isStoredCount, 2 ** 53 - 1, 2 ** 53],
  [isStoredFlag, false, 0],
  [storedOrNull(isStoredText), null, undefined],
  [storedList(isStoredText), ['a'], ['a', 1]],
  [storedList(isStoredText), [], {}],
  [storedObject({ kind: isStoredText }), { kind: 'totp', at: 1 }, { at: 1 }],
  [storedObject({ kind: isStoredText }), { kind: '' }, [{ kind: '' }]],
])('the check of a member, number %#, accepts %j and not %j', (check, valid, invalid) => {
  expect(check(valid)).toBe(true)
  expect(check(invalid)).toBe(false)
})

describe('a list of objects', () => {
  const list = storedList(storedObject({ kind: isStoredText, at: isStoredCount }))

  test.each([[[]], [[{ kind: 'password', at: 1 }]], [[{ kind: 'password', at: 0, later: true }]]])(
    'may be %j',
    (value) => {
      expect(list(value)).toBe(true)
    },
  )

  test.each([
    [null],
    [{}],
    ['[]'],
    [[null]],
    [[undefined]],
    [['password']],
    [[[]]],
    [[{}]],
    [[{ kind: 'password' }]],
    [[{ at: 1 }]],
    [[{ kind: 1, at: 1 }]],
    [[{ kind: 'password', at: '1' }]],
    [[{ kind: 'password', at: 1 }, null]],
  ])('is never %j', (value) => {
    expect(list(value)).toBe(false)
  })

  test('without members holds objects only', () => {
    const empty = storedObject({})
    expect([{}, { any: 1 }].map(empty)).toEqual([true, true])
    expect([null, undefined, [], 'text', 1, true].map(empty)).toEqual(Array(6).fill(false))
  })
})

test('a shape is refused with a misspelt option', () => {
  const misspelt = { name: 'invitation', members: {}, add: {} }
  expect(() => defineStoredShape(misspelt as never)).toThrow('defineStoredShape has no option "add"')
})
