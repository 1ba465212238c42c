'use server'

import { AuthError } from '@latchkey/client'
import { revalidatePath } from 'next/cache'
import { mutate } from './service'

/** The outcome of an attempt, for the form to show. */
export type Outcome = { readonly error: string } | { readonly title: string } | null

const document = 'mutation Write($input: CreateArticleInput!) { createArticle(input: $input) { title } }'

export async function writeArticle(_before: Outcome, form: FormData): Promise<Outcome> {
  const input = { title: String(form.get('title')), body: String(form.get('body')) }
  try {
    const { createArticle } = await mutate<{ createArticle: { title: string } }>('/', document, { input })
    revalidatePath('/')
    return { title: createArticle.title }
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return { error: error.message }
  }
}
