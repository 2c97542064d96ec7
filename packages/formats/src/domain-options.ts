/** The write option for texts of domains. Without imports, because the catalogue of errors has the formats. */

export const domainOptions = {
  domains: {
    enum: ['code', 'text', 'both'],
    default: 'code',
    description:
      'Values of fields with a domain that is a list of codes with texts. code: the codes. text: the texts in place of the codes. both: the codes, and the texts in a field NAME_text after each. Not for appends.',
  },
} as const;
