/** Text that breaks careless layouts. */
export const HOSTILE_WORD = "Donaudampfschifffahrtsgesellschaft".repeat(118).slice(0, 4000);
export const HOSTILE_PATH = `/home/ada/${"a-folder-with-quite-a-long-name/".repeat(12)}🦄 ﷽ 終`;
export const HOSTILE_TITLES = [
  "A title that goes on and on, well past what a sidebar, a bar or a card can hold on one line, and then some more",
  HOSTILE_WORD,
  "重構登入流程並且把所有的測試都改寫成新的格式然後部署到測試環境再觀察一個星期看看有沒有問題",
  "أعد كتابة صفحة تسجيل الدخول بحيث تعمل من اليمين إلى اليسار دون أن تتداخل العناصر مع بعضها",
  "👩‍👩‍👧‍👦🏳️‍🌈🇺🇳👨🏿‍🚀🧑🏽‍💻".repeat(12),
  "<script>alert(1)</script> & \"quotes\" \u202Egnp.exe",
  "\u0645\u0310\u0311\u0312\u0313\u0314Z\u0310\u0311\u0312\u0313\u0314\u0315 stacked marks",
];
