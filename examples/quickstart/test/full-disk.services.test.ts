import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeStart, startQuickstart } from './support/start-quickstart.ts'
import { type Answer, createVisitor, type Visitor } from './support/visitor.ts'

const create = 'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id } }'
const large = { input: { title: 'Fills the disk', body: 'x'.repeat(40_000) } }
const article = 'query ($id: ID!) { article(id: $id) { title } }'

function expectUnavailable({ status, headers, errors }: Answer): void {
  expect([status, errors[0]?.extensions.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(headers.getSetCookie()).toEqual([])
}

test('a full disk loses no data, starts and revokes no session, and the service recovers with free space', async ({
  skip,
}) => {
  const folder = mountSmallDisk()
  if (folder === null) return skip('a small disk can be mounted by root only')
  const filler = join(folder, 'filler')
  writeFileSync(filler, new Uint8Array(1024 * 1024))
  const service = await startQuickstart({ DATA_DIR: join(folder, 'data') }, nodeStart)
  onTestFinished(async () => void (await service.stop()))
  const author = createVisitor(service.url)
  await author.signIn('author@example.com')

  const stored: string[] = []
  const written = await fill(author, stored)
  expectUnavailable(written)
  const refused = await fillWithSessions(service.url)
  expectUnavailable(refused)

  expect(stored.length).toBeGreaterThan(0)
  for (const id of stored)
    expect((await author.ask(article, { id })).data).toEqual({ article: { title: large.input.title } })
  expect(await author.ask('{ viewer { name } }')).toMatchObject({
    status: 200,
    data: { viewer: { name: 'Ada Author' } },
  })

  truncateSync(filler)
  expect((await author.ask(create, large)).status).toBe(200)
  expect((await createVisitor(service.url).signIn('reader@example.com')).status).toBe(200)
}, 120_000)

/** Writes until the disk is full, and returns the first answer that is no success. */
async function fill(author: Visitor, stored: string[]): Promise<Answer> {
  for (;;) {
    const answer = await author.ask(create, large)
    if (answer.status !== 200) return answer
    stored.push(answer.data.createArticle.id)
  }
}

/** What is left of the last page takes a few sessions more. */
async function fillWithSessions(url: string): Promise<Answer> {
  for (;;) {
    const answer = await createVisitor(url).signIn('reader@example.com')
    if (answer.status !== 200) return answer
  }
}

/** A disk of 4 MB that goes with the test, or `null` where this process may not mount one. */
function mountSmallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return null
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}
