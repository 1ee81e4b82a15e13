/** Colours, sizes, radii, spaces and layers come from tokens alone; src/theme is where tokens are made. */
export default {
  plugins: ["./scripts/stylelint-tokens.mjs"],
  rules: {
    "paddock/tokens-only": true,
    "color-no-hex": true,
    "function-disallowed-list": ["rgb", "rgba", "hsl", "hsla", "oklch", "light-dark"],
    "declaration-no-important": true,
    "no-duplicate-selectors": true,
    "declaration-block-no-duplicate-properties": true,
    "property-no-unknown": [true, { ignoreProperties: ["composes"] }],
    "unit-no-unknown": true,
    "selector-type-no-unknown": true,
    "no-invalid-double-slash-comments": true,
    "block-no-empty": true,
  },
  overrides: [
    {
      files: ["src/theme/**/*.css"],
      rules: {
        "paddock/tokens-only": null,
        "color-no-hex": null,
        "function-disallowed-list": null,
        "declaration-no-important": null,
      },
    },
  ],
};
