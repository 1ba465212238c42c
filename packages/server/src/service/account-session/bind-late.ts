type Methods<Options, Session> = {
  readonly [Name in keyof Session]: Session[Name] extends (...input: infer Input) => infer Output
    ? (options: Options, ...input: Input) => Output
    : never
}

/**
 * Returns the class of objects that call these functions with options which are made when the first of them is called: most
 * requests call none.
 */
export function bindLate<Options extends object, Session extends object>(
  methods: Methods<Options, Session>,
): new (
  make: () => Options,
) => Session {
  class Late {
    readonly #make: () => Options
    #options: Options | null = null

    constructor(make: () => Options) {
      this.#make = make
    }

    static optionsOf(one: Late): Options {
      one.#options ??= one.#make()
      return one.#options
    }
  }
  const functions: Readonly<Record<string, (options: Options, ...input: readonly unknown[]) => unknown>> = methods
  for (const [name, call] of Object.entries(functions)) {
    Object.defineProperty(Late.prototype, name, {
      value(this: Late, ...input: readonly unknown[]) {
        return call(Late.optionsOf(this), ...input)
      },
    })
  }
  return Late as unknown as new (
    make: () => Options,
  ) => Session
}
