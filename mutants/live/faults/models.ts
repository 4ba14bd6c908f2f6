import type { LiveFault } from '../fault.ts'

/** The list of models and its entries. */
export const models: readonly LiveFault[] = [
  {
    id: 'context-length-in-text',
    file: 'server/catalogue.ts',
    find: 'model.contextLength',
    replace: 'String(model.contextLength) as never',
    violates: ['MODL-02'],
    expectKilledBy: ['models/entry'],
  },
  {
    id: 'price-per-token',
    file: 'server/catalogue.ts',
    find: 'model.pricing.promptMicros',
    replace: 'model.pricing.promptMicros / 1_000_000',
    violates: ['MODL-03'],
    alsoBreaks: [
      { rules: ['MET-01'], because: 'what is debited is held against the listed prices' },

      {
        rules: ['MET-02', 'MODL-16'],
        because: 'a listed price is a whole number, from which a cost follows',
      },
    ],
    expectKilledBy: ['metering/listed-prices'],
  },
  {
    id: 'completion-price-of-prompt',
    file: 'server/catalogue.ts',
    find: 'model.pricing.completionMicros',
    replace: 'model.pricing.promptMicros',
    violates: ['MODL-03'],
    alsoBreaks: [
      {
        rules: ['MET-01', 'MET-07', 'RLAY-16'],
        because: 'what is debited and recorded is held against the listed prices',
      },
      {
        rules: ['CRED-05', 'CRED-06', 'CRED-07', 'CRED-08', 'CRED-10', 'CRED-11'],
        because: 'what is held is held against the listed prices, too',
      },
      { rules: ['MET-02'], because: 'a cost follows from the listed prices' },
    ],
    expectKilledBy: ['metering/listed-prices'],
  },
  {
    id: 'list-of-models-object',
    file: 'server/routes/models.ts',
    find: "'list'",
    replace: "'models' as never",
    violates: ['MODL-05'],
    expectKilledBy: ['endpoints/models'],
  },
  {
    id: 'tee-made-up',
    file: 'server/routes/models.ts',
    find: 'shelf.find(name)?.tee ?? null',
    replace: "shelf.find(name)?.tee ?? 'tdx'",
    violates: ['MODL-10'],
    alsoBreaks: [
      {
        rules: ['MODL-15', 'MODL-22', 'MODL-24'],
        because: 'a label is one of five, or none where nothing names one',
      },
    ],
    expectKilledBy: ['models/tee-label-unknown', 'models/tee-label-read'],
  },
  {
    id: 'tee-names-gpu',
    file: 'server/routes/models.ts',
    find: 'shelf.find(name)?.tee ?? null',
    replace: "'tdx+h100' as never",
    violates: ['MODL-12', 'MODL-09'],
    alsoBreaks: [
      {
        rules: ['MODL-07', 'MODL-10', 'MODL-15', 'MODL-22', 'MODL-23'],
        because: 'a label is one of five, and read from the evidence',
      },
    ],
    expectKilledBy: ['evidence/tee-label', 'models/tee-label', 'models/tee-label-read'],
  },
  {
    id: 'tee-is-a-number',
    file: 'server/routes/models.ts',
    find: 'shelf.find(name)?.tee ?? null',
    replace: '1 as never',
    violates: ['MODL-04'],
    alsoBreaks: [
      { rules: ['MODL-07', 'MODL-09'], because: 'it says something else than the evidence names' },

      { rules: ['MODL-10', 'MODL-15', 'MODL-23'], because: 'a label is a text, and read from the evidence' },
    ],
    expectKilledBy: ['models/tee-label', 'models/tee-label-read'],
  },
  {
    id: 'denied-upstream-listed',
    file: 'server/routes/models.ts',
    find: "upstream?.endpoint.verdict.state !== 'admitted'",
    replace: 'upstream === undefined',
    violates: ['EP-06', 'VERD-03', 'SRV-18', 'ERR-26'],
    alsoBreaks: [{ rules: ['VERD-01'], because: 'a model is listed by the state of its endpoint' }],
    expectKilledBy: ['upstreams/denied', 'upstreams/states'],
  },
  {
    id: 'extensions-nested',
    file: 'server/catalogue.ts',
    find: 'model.contextLength',
    replace: 'undefined as never',
    violates: ['MODL-06', 'MODL-02'],
    alsoBreaks: [{ rules: ['EP-05'], because: 'the list has the extension fields' }],
    expectKilledBy: ['endpoints/models', 'models/entry'],
  },
  {
    id: 'other-label-told',
    file: 'server/routes/models.ts',
    find: 'shelf.find(name)?.tee ?? null',
    replace:
      "((tee) => (tee === null ? null : tee === 'tdx' ? 'sev-snp' : 'tdx'))(shelf.find(name)?.tee ?? null)",
    violates: ['MODL-07', 'MODL-09'],
    alsoBreaks: [
      {
        rules: ['MODL-15', 'MODL-22', 'MODL-23'],
        because: 'a label is one of five, and read from the evidence',
      },
    ],
    expectKilledBy: ['evidence/tee-label', 'models/tee-label-read'],
  },
  {
    id: 'label-of-upstream',
    file: 'server/routes/models.ts',
    within: `upstream.registration
  return { name, hostname }`,
    find: '{ name, hostname }',
    replace: "{ name, hostname, tee: 'tdx' }",
    violates: ['MODL-11'],
    alsoBreaks: [{ rules: ['MODL-15', 'MODL-22'], because: 'a label is one of five' }],
    expectKilledBy: ['upstreams/no-label'],
  },
  {
    id: 'id-is-a-number',
    file: 'server/catalogue.ts',
    within: `id: model.id,
    object`,
    find: 'model.id',
    replace: '1 as never',
    // Of one that is not asked for by its id.
    when: "model.id === 'twins'",
    violates: ['MODL-01'],
    alsoBreaks: [{ rules: ['MODL-05'], because: 'the form of an answer holds this member' }],
    expectKilledBy: ['models/entry'],
  },
  {
    id: 'no-pricing-listed',
    file: 'server/catalogue.ts',
    find: 'model.contextLength',
    replace: 'undefined as never',
    violates: ['EP-05', 'MODL-06'],
    alsoBreaks: [{ rules: ['MODL-02'], because: 'it is one of the extension fields' }],
    expectKilledBy: ['endpoints/models'],
  },
]
