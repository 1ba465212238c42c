import type { PageTexts } from './page-texts.ts'

/** The texts whose names start with `Page` and a dot. */
export type TextsOf<Page extends string> = Pick<PageTexts, Extract<keyof PageTexts, `${Page}.${string}`>>
