/** The members of a group of options, as if they stood in its place: editors, the reference and the API text show them there. */
export type Inline<Group> = { readonly [Name in keyof Group]: Group[Name] } & {}
