import { versionInfo } from 'graphql'

/** The tests run with the current release of `graphql`, and again with the oldest that is supported. */
const isGraphql17 = versionInfo.major >= 17

/** Cases for the newer release only, for example empty selections. */
export const since17 = <Case>(...cases: readonly Case[]): readonly Case[] => (isGraphql17 ? cases : [])
