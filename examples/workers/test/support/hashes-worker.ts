import { createPasswordHasher } from '@latchkey/password'

const hasher = createPasswordHasher()

/** Hashes the password of a test, and says which stored texts are hashes of it, or why there was no verdict. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { password, stored }: { password: string; stored: readonly string[] } = await request.json()
    const judge = (text: string): Promise<unknown> =>
      hasher.verify(password, text).then(
        ({ ok }) => ok,
        (error: Error) => error.message,
      )
    const fresh = await hasher.hash(password)
    const verdicts: unknown[] = []
    for (const text of [fresh, ...stored]) verdicts.push(await judge(text))
    return Response.json({ fresh, verdicts, engines: await hasher.engines() })
  },
}
