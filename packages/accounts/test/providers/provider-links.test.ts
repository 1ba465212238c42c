import { createMemoryDocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { linksIn } from '../factors/factors-bench.ts'

const issuer = 'https://id.example.com'
const createLinks = () => linksIn(createMemoryDocumentStore())
const linkOf = (accountId: string, subject = '42') => ({ issuer, subject, accountId, createdAt: 7 })

describe('links to providers', () => {
  test('fifty parallel links of one user to different accounts leave one link', async () => {
    const links = createLinks()
    const inserts = Array.from({ length: 50 }, (_none, nth) => links.insert(linkOf(`acc_${nth}`)))
    const added = (await Promise.all(inserts)).filter((link) => link !== null)
    expect(added).toHaveLength(1)
    expect(await links.get(issuer, '42')).toEqual(added[0])
  })

  test.each([
    [`${issuer}/`, '42'],
    [issuer.toUpperCase(), '42'],
    [issuer, '42 '],
    [issuer, '４２'],
    [`${issuer}","4`, '2'],
  ])('links of users with similar names are separate: %s %s', async (other, subject) => {
    const links = createLinks()
    await links.insert(linkOf('acc_1'))
    expect(await links.get(other, subject)).toBeNull()
    expect(await links.insert({ ...linkOf('acc_2'), issuer: other, subject })).toMatchObject({ accountId: 'acc_2' })
    expect(await links.get(issuer, '42')).toMatchObject(linkOf('acc_1'))
  })

  test('links are listed for their account only', async () => {
    const links = createLinks()
    for (const subject of ['1', '2']) await links.insert(linkOf('acc_1', subject))
    await links.insert(linkOf('acc_11', '3'))
    const listed = await links.listByAccount('acc_1')
    expect(listed.map(({ subject }) => subject).sort()).toEqual(['1', '2'])
    expect(await links.listByAccount('acc_')).toEqual([])
  })

  test('links are removed by one of fifty callers', async () => {
    const links = createLinks()
    const link = (await links.insert(linkOf('acc_1'))) ?? expect.unreachable()
    const removals = await Promise.all(Array.from({ length: 50 }, () => links.remove(link)))
    expect(removals.filter(Boolean)).toHaveLength(1)
    expect(await links.get(issuer, '42')).toBeNull()
  })

  test.each(['acc_2', 'acc_1'])(
    'a link that was removed and made again for %s is not removed by its former version',
    async (id) => {
      const links = createLinks()
      const before = (await links.insert(linkOf('acc_1'))) ?? expect.unreachable()
      await links.remove(before)
      const later = await links.insert({ ...linkOf(id), createdAt: before.createdAt + 1 })
      expect(await links.remove(before)).toBe(false)
      expect(await links.get(issuer, '42')).toEqual(later)
    },
  )

  test('links are removed without createdAt by their own account only', async () => {
    const links = createLinks()
    const added = (await links.insert(linkOf('acc_1'))) ?? expect.unreachable()
    const { id } = added
    expect(await links.remove({ id, accountId: 'acc_2' })).toBe(false)
    expect(await links.get(issuer, '42')).toEqual(added)
    expect(await links.remove({ id, accountId: 'acc_1' })).toBe(true)
    expect(await links.get(issuer, '42')).toBeNull()
  })
})
